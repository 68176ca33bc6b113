import { finished, type Readable } from 'node:stream';
import { isRecord } from '../../cluster/decode/decode-json.ts';
import { BodyCut } from '../http/call.ts';

/** One event of a watch (https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes). */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Readonly<Record<string, unknown>>;
}

/** How a watch came to its end: closed by the server, cut, silent for too long, not readable, or given up by us. */
export type WatchEnd = 'closed' | 'cut' | 'silent' | 'garbage' | 'aborted';

const NEWLINE = 0x0a;

/** No object of the API comes near it: etcd takes a megabyte and a half. */
const MOST_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Reads a watch line by line until it ends. A server with bookmarks says something at least once a minute, so one that is
 * silent for `silenceMs` is gone without a goodbye. A line that cannot be read ends the watch before it: nothing is guessed.
 */
export function readWatch(
  body: Readable,
  onEvent: (event: WatchEvent) => void,
  { silenceMs }: { readonly silenceMs: number },
): Promise<WatchEnd> {
  return new Promise((resolve) => {
    let rest: Buffer[] = [];
    let restBytes = 0;
    const end = (how: WatchEnd) => {
      clearTimeout(timer);
      body.removeAllListeners('data').destroy();
      resolve(how);
    };
    const timer = setTimeout(() => end('silent'), silenceMs);
    body.on('data', (chunk: Buffer) => {
      timer.refresh();
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8');
        rest = [];
        restBytes = 0;
        from = at + 1;
        const event = line.trim() === '' ? 'nothing' : parse(line);
        if (event === undefined) {
          end('garbage');
          return;
        }
        if (event !== 'nothing') onEvent(event);
        if (body.destroyed) return;
      }
      if (from === chunk.length) return;
      rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
      if (restBytes > MOST_LINE_BYTES) end('garbage');
    });
    finished(body, (error) => {
      if (error) end(error instanceof BodyCut && error.failure.kind === 'aborted' ? 'aborted' : 'cut');
      else end(rest.length === 0 ? 'closed' : 'cut');
    });
  });
}

const TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

function parse(line: string): WatchEvent | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return isEvent(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(event: unknown): event is WatchEvent {
  return isRecord(event) && TYPES.has(event['type']) && isRecord(event['object']);
}
