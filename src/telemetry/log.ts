import { Writable } from 'node:stream';
import { createLogger, format, type Logger } from 'winston';
import { jsonText, visible } from '../lib/visible.ts';
import type { Fields } from './outcome-line.ts';

/** How the log is written. `verbosity` is that of klog: 0 warnings and errors, 1 what is done, 2 and more each outcome. */
export interface LogOptions {
  readonly verbosity: number;
  readonly format: 'text' | 'json';
}

/**
 * A log whose lines go to `write`, the newline included. It is never a part of a report, so it may carry the time. An entry is one
 * line, whatever its message holds; in text the lines of a `defect` follow, further in.
 */
export function createLog(options: LogOptions, write: (line: string) => void): Logger {
  const text = format.printf(({ timestamp, level, message, defect, fields }) => {
    const line = visible(`${String(timestamp)} ${level} ${String(message)}${pairs(fields as Fields | undefined)}`);
    return typeof defect === 'string' ? `${line}\n${defect.replaceAll(/^/gmu, '    ')}` : line;
  });
  const json = format.printf(({ timestamp, level, message, defect, fields }) =>
    jsonText({ level, message, ...(fields as Fields | undefined), defect, timestamp }),
  );
  const lines = options.format === 'json' ? json : text;
  const logger = createLogger({
    level: 'debug',
    format: format.combine(upTo(options.verbosity)(), format.timestamp(), lines),
  });
  logger.pipe(lineWriter(write));
  return logger;
}

/** ` pod=web-1 node=n1`, with quotes where a value has blanks; the reason stands in the message already. */
function pairs(fields: Fields = {}): string {
  const shown = Object.entries(fields).filter(([name]) => name !== 'reason');
  return shown
    .map(([name, value]) => ` ${name}=${/^[\w./:@-]+$/u.test(String(value)) ? value : JSON.stringify(value)}`)
    .join('');
}

/** Winston leaves the choice of levels to its transports; there is none here, so lines are dropped before they are formed. */
function upTo(verbosity: number): ReturnType<typeof format> {
  const needed: Readonly<Record<string, number>> = { error: 0, warn: 0, info: 1, debug: 2 };
  return format((entry) => (verbosity >= (needed[entry.level] ?? 2) ? entry : false));
}

/** Winston hands over objects that carry the finished line under this symbol. */
const LINE = Symbol.for('message');

function lineWriter(write: (line: string) => void): Writable {
  return new Writable({
    objectMode: true,
    write: (entry: Readonly<Record<symbol, unknown>>, _encoding, done) => {
      const line = entry[LINE];
      if (typeof line === 'string') write(`${line}\n`);
      done();
    },
  });
}
