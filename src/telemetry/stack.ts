import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { visible } from '../lib/visible.ts';

/** Where a frame of a stack is: file, line, column. */
const PLACE = /([^\s()]+):(\d+):(\d+)(?=\)?$)/u;

type Maps = Map<string, SourceMap | undefined>;

/**
 * A defect of ours: a sentence that says so, and the stack, with places in the sources where a source map lies beside the
 * file that runs.
 */
export function defectText(stack: string): string {
  const maps: Maps = new Map();
  const lines = stack.split('\n').map((line) => visible(inSources(line, maps)));
  return `evenkeel has failed, which is a fault of its own rather than of your input:\n${lines.join('\n')}`;
}

function inSources(frame: string, maps: Maps): string {
  const [place, file = '', line, column] = PLACE.exec(frame) ?? [];
  if (place === undefined) return frame;
  if (!maps.has(file)) maps.set(file, mapOf(file));
  const origin = maps.get(file)?.findOrigin(Number(line), Number(column));
  if (!origin || !('fileName' in origin)) return frame;
  // Sources are named as seen from the folder of the bundle.
  const source = origin.fileName.replace(/^(?:\.\.\/)+/u, '');
  return frame.replace(place, `${source}:${origin.lineNumber}:${origin.columnNumber}`);
}

function mapOf(file: string): SourceMap | undefined {
  const map = `${file}.map`;
  if (!existsSync(map)) return undefined;
  return new SourceMap(JSON.parse(readFileSync(map, 'utf8')) as SourceMapPayload);
}
