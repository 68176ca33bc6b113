import { Writable } from 'node:stream';
import { createLogger, format, type Logger } from 'winston';

/** How the log is written. `verbosity` is that of klog: 0 warnings and errors, 1 what is done, 2 and more each outcome. */
export interface LogOptions {
  readonly verbosity: number;
  readonly format: 'text' | 'json';
}

/** A log whose lines go to `write`, the newline included. It is never a part of a report, so it may carry the time. */
export function createLog(options: LogOptions, write: (line: string) => void): Logger {
  const text = format.printf(({ timestamp, level, message }) => `${String(timestamp)} ${level} ${String(message)}`);
  const logger = createLogger({
    level: levelOf(options.verbosity),
    format: format.combine(format.timestamp(), options.format === 'json' ? format.json() : text),
  });
  logger.pipe(lineWriter(write));
  return logger;
}

function levelOf(verbosity: number): string {
  return verbosity <= 0 ? 'warn' : verbosity === 1 ? 'info' : 'debug';
}

/** Winston hands over objects that carry the finished line under this symbol. */
const LINE = Symbol.for('message');

function lineWriter(write: (line: string) => void): Writable {
  return new Writable({
    objectMode: true,
    write: (entry: Readonly<Record<symbol, unknown>>, _encoding, done) => {
      write(`${String(entry[LINE])}\n`);
      done();
    },
  });
}
