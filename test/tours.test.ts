import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '..', 'docs');
const MOST_FILES = 7;
const MOST_LINES = 600;

/** A file that a way leads through, and the function to read there. */
interface Stop {
  readonly file: string;
  readonly name: string;
}

const [eviction = '', deletion = ''] = sectionsOf(readFileSync(join(docs, 'architecture.md'), 'utf8'));
const [toCycle = '', ...strategies] = eviction.split(/^- /mu);
const ways: readonly (readonly [string, readonly Stop[]])[] = [
  ...strategies.map((text) => [/^\w+/u.exec(text)?.[0] ?? '', [...stopsOf(toCycle), ...stopsOf(text)]] as const),
  ['a taint', stopsOf(deletion)],
];

describe('the ways through the code', () => {
  it('are those of three strategies and of a taint', () => {
    const names = ['RemovePodsViolatingNodeTaints', 'RemoveDuplicates', 'LowNodeUtilization', 'a taint'];
    assert.deepEqual(
      ways.map(([name]) => name),
      names,
    );
  });

  for (const [name, stops] of ways) {
    it(`${name}: at most ${MOST_FILES} files and ${MOST_LINES} lines, all of them there`, () => {
      assert.ok(stops.length >= 5 && stops.length <= MOST_FILES, `${stops.length} files`);
      const texts = stops.map(({ file }) => (existsSync(file) ? readFileSync(file, 'utf8') : assert.fail(file)));
      const lines = texts.map((text) => text.split('\n').length - 1);
      const sum = lines.reduce((total, count) => total + count, 0);
      assert.ok(sum <= MOST_LINES, `${sum} lines: ${lines.join(' + ')}`);
      stops.forEach(({ file, name: wanted }, i) => {
        const definition = new RegExp(`(?:function\\*? |^  (?:async )?)${wanted}\\(`, 'mu');
        assert.match(texts[i] ?? '', definition, `${file} has ${wanted}`);
      });
      for (let i = 1; i < stops.length; i += 1)
        assert.ok(isNamedBefore(stops, texts, i), `${stops[i]?.file} is reached`);
    });
  }
});

/** Each file is imported by one before it on the way. */
function isNamedBefore(stops: readonly Stop[], texts: readonly string[], index: number): boolean {
  const name = stops[index]?.file.split('/').at(-1) ?? '';
  // The registry and the commands stand between a cycle and its strategies, and between watches and controllers.
  if (name === 'cycle.ts' || texts.slice(0, index).some((text) => text.includes(`/${name}'`))) return true;
  return /strategies\/.*(?:taints|duplicates|low)\.ts$|taint-eviction\/controller\.ts$/u.test(stops[index]?.file ?? '');
}

function sectionsOf(text: string): readonly string[] {
  const part = /^## Two ways through$([^]*?)^## /mu.exec(text)?.[1] ?? '';
  return part.split(/^### .*$/mu).slice(1);
}

function stopsOf(text: string): readonly Stop[] {
  return [...text.matchAll(/\]\((\.\.\/src\/[^)]+)\),\s+`(\w+)`/gu)].map(([, path = '', name = '']) => ({
    file: join(docs, path),
    name,
  }));
}
