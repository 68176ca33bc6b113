import { Writable } from 'node:stream';
import { createLogger, format, type Logger } from 'winston';
import { jsonText, visible } from '../lib/visible.ts';

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
  const text = format.printf(({ timestamp, level, message, defect }) => {
    const line = visible(`${String(timestamp)} ${level} ${String(message)}`);
    return typeof defect === 'string' ? `${line}\n${defect.replaceAll(/^/gmu, '    ')}` : line;
  });
  const json = format.printf(({ timestamp, level, message, defect }) =>
    jsonText({ level, message, defect, timestamp }),
  );
  const lines = options.format === 'json' ? json : text;
  const logger = createLogger({
    level: 'debug',
    format: format.combine(upTo(options.verbosity)(), format.timestamp(), lines),
  });
  logger.pipe(lineWriter(write));
  return logger;
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
