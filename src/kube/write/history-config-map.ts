import {
  changed,
  EMPTY_HISTORY,
  type History,
  type HistoryChange,
  type Remembered,
} from '../../evictor/limits/history.ts';
import { readHistory, writeHistory, type HistoryText } from '../../evictor/limits/history-text.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { noAnswer, type ApiAnswer, type ApiFailure } from '../http/failure.ts';
import { FailureRow, retried } from '../http/retried.ts';
import { send, type Call } from '../http/call.ts';

/** Which ConfigMap holds the history, and how it is reached. */
export interface HistoryOptions {
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** For one call. */
  readonly timeoutMs?: number;
  /** From the first try to giving up. */
  readonly deadlineMs?: number;
  /** The history's size from which on the oldest entries go. */
  readonly mostBytes?: number;
}

const KEY = 'history.json';
/** The API server takes objects of up to 1 MiB; the rest is for metadata and escapes. */
const MOST_BYTES = 900_000;
const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

const NOTHING: Remembered = { state: EMPTY_HISTORY, warnings: [] };

/** A ConfigMap as the server has it, every field kept, and the history in it; without an object there is none yet. */
interface Stored {
  readonly object: ConfigMap | undefined;
  readonly remembered: Remembered;
}

interface ConfigMap {
  readonly data?: Readonly<Record<string, unknown>> | null;
}

/**
 * A history in a ConfigMap, so that limits hold for a CronJob, too, whose every run is a new process. An update names the
 * resourceVersion that it builds on; when another run was faster, the change is applied to what that run has left.
 * Needs get and update on the ConfigMap, and create on ConfigMaps of its namespace as long as it does not exist.
 */
export function configMapHistory(call: Call, options: HistoryOptions): History {
  const { clock, random, deadlineMs = DEADLINE_MS } = options;
  const shelf = { call, options };
  const row = new FailureRow();
  let known: Stored | undefined;
  return {
    async load(signal) {
      const read = await retried({ clock, random, deadlineMs, row, signal }, () => readStored(shelf, signal));
      if (!read.ok) return { ok: false, failure: explained(read.failure, 'read', options) };
      known = read.value;
      return { ok: true, value: known.remembered };
    },
    async save(change) {
      const attempt = async () => {
        const base: ApiAnswer<Stored> = known ? { ok: true, value: known } : await readStored(shelf);
        if (!base.ok) return base;
        known = base.value;
        const answer = await write(shelf, known, change);
        // Others were faster; after any other failure the version that was read still guards the next try.
        if (!answer.ok && answer.failure.kind === 'conflict') known = undefined;
        return answer;
      };
      const written = await retried({ clock, random, deadlineMs, row }, attempt);
      if (!written.ok) return { ok: false, failure: explained(written.failure, 'written', options) };
      known = written.value.stored;
      return { ok: true, value: written.value.warnings };
    },
  };
}

interface Shelf {
  readonly call: Call;
  readonly options: HistoryOptions;
}

async function readStored({ call, options }: Shelf, signal?: AbortSignal): Promise<ApiAnswer<Stored>> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const answer = await send(call, { method: 'GET', path: pathOf(options), timeoutMs, signal });
  if (answer.ok) return storedOf(answer.value, options);
  if (answer.failure.kind !== 'not-found') return answer;
  return { ok: true, value: { object: undefined, remembered: NOTHING } };
}

interface Written {
  readonly stored: Stored;
  readonly warnings: readonly string[];
}

async function write({ call, options }: Shelf, base: Stored, change: HistoryChange): Promise<ApiAnswer<Written>> {
  const { timeoutMs = TIMEOUT_MS, mostBytes = MOST_BYTES } = options;
  const written = writeHistory(changed(base.remembered.state, change), mostBytes);
  const body = withText(base.object, written.text, options);
  const request = base.object
    ? ({ method: 'PUT', path: pathOf(options), body, timeoutMs } as const)
    : ({ method: 'POST', path: collectionOf(options), body, timeoutMs } as const);
  const answer = await send(call, request);
  if (answer.ok) {
    const stored = storedOf(answer.value, options);
    return stored.ok ? { ok: true, value: { stored: stored.value, warnings: lost(written, options) } } : stored;
  }
  // Deleted since it was read: the next try makes it anew.
  const isDeleted = base.object !== undefined && answer.failure.kind === 'not-found';
  return isDeleted ? { ok: false, failure: { ...answer.failure, kind: 'conflict' } } : answer;
}

/** Other keys and metadata stay as they are; the resourceVersion among them guards against overwriting. */
function withText(object: ConfigMap | undefined, text: string, { namespace, name }: HistoryOptions): object {
  const made = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'evenkeel' } },
  };
  return { ...(object ?? made), data: { ...object?.data, [KEY]: text } };
}

function storedOf(bytes: Buffer, options: HistoryOptions): ApiAnswer<Stored> {
  const object = configMapOf(bytes.toString('utf8'));
  if (!object) return { ok: false, failure: noAnswer('transient', 'the answer is not a ConfigMap') };
  const text = object.data?.[KEY];
  if (typeof text !== 'string') return { ok: true, value: { object, remembered: NOTHING } };
  const { state, warnings } = readHistory(text);
  const named = warnings.map((warning) => `${nameOf(options)}: ${warning}`);
  return { ok: true, value: { object, remembered: { state, warnings: named } } };
}

function configMapOf(text: string): ConfigMap | undefined {
  try {
    const object: unknown = JSON.parse(text);
    return typeof object === 'object' && object !== null ? object : undefined;
  } catch {
    return undefined;
  }
}

function lost({ lostEvictions, lostBlocks }: HistoryText, options: HistoryOptions): readonly string[] {
  if (lostEvictions + lostBlocks === 0) return [];
  const what = `the oldest ${lostEvictions} evictions and ${lostBlocks} blocked pods no longer count`;
  return [`${nameOf(options)} is full, so ${what}: shorter windows or lower limits keep it small enough`];
}

function explained(failure: ApiFailure, done: 'read' | 'written', options: HistoryOptions): ApiFailure {
  const what = `${nameOf(options)} could not be ${done}: ${failure.message}`;
  return { ...failure, message: `${what}${adviceFor(failure, done, options)}` };
}

function adviceFor({ kind }: ApiFailure, done: 'read' | 'written', { namespace }: HistoryOptions): string {
  if (kind === 'forbidden') {
    return `. Grant get, update and create on configmaps in namespace ${namespace} (docs/limits.md)`;
  }
  if (kind === 'not-found' && done === 'written') return `. Make the namespace ${namespace} first`;
  return kind === 'conflict' ? '. Others keep writing it: give every policy a ConfigMap of its own' : '';
}

function nameOf({ namespace, name }: HistoryOptions): string {
  return `the history in ConfigMap ${namespace}/${name}`;
}

function collectionOf({ namespace }: HistoryOptions): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
}

function pathOf(options: HistoryOptions): string {
  return `${collectionOf(options)}/${encodeURIComponent(options.name)}`;
}
