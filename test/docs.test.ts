import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import { program, runProgram } from '../src/cli/program.ts';
import { VERSION } from '../src/cli/version.ts';
import { DEFAULT_POLICY } from '../src/demo/policy.ts';
import { formatFindings } from '../src/findings/format.ts';
import { loadPolicy } from '../src/policy/load.ts';
import { strategies } from '../src/strategies/registry.ts';
import { recorder } from './cli/recorder.ts';

const root = join(import.meta.dirname, '..');
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...markdownIn('docs')];
const readme = read('README.md');

describe('the documents', () => {
  for (const page of pages) {
    const text = read(page);

    for (const [i, block] of codeBlocks(text, 'yaml').entries()) {
      it(`${page}: YAML block ${i + 1} is what it says it is`, () => {
        assert.deepEqual(
          parseAllDocuments(block).flatMap(({ errors }) => errors),
          [],
        );
        if (!block.includes('kind: DeschedulerPolicy')) return;
        const result = loadPolicy(block);
        assert.ok(result.ok, result.ok ? '' : formatFindings(result.findings, { file: page, text: block }));
      });
    }

    it(`${page}: every flag exists`, () => {
      const known = flagsOf(program({ terminal: recorder().terminal, finish: () => Promise.resolve() }));
      assert.deepEqual(
        flagsNamed(text).filter((flag) => !known.has(flag)),
        [],
      );
    });

    it(`${page}: every link leads somewhere`, () => {
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/gu)].map(([, target = '']) => target);
      assert.deepEqual(
        links.filter((target) => !existsSync(join(root, dirname(page), target))),
        [],
      );
    });
  }
});

describe('the README', () => {
  it('fits on three screens', () => {
    assert.ok(readme.split('\n').length < 150);
  });

  it('shows the built-in policy', () => {
    assert.equal(codeBlocks(readme, 'yaml')[0], DEFAULT_POLICY);
  });

  it('shows what the demo really prints', async () => {
    const { terminal, printed } = recorder();
    assert.equal(await runProgram(['demo'], terminal), 0);
    const [shown = ''] = codeBlocks(readme, 'text');
    assert.equal(
      printed().slice(0, shown.length),
      shown,
      'replace the block in the README by what the program prints now',
    );
  });

  it('names every strategy that is built, and each has a page', () => {
    const rows = [...readme.matchAll(/^\| \[(\w+)\]\(docs\/strategies\/(\w+)\.md\)/gmu)];
    assert.deepEqual(
      rows.map(([, name, page]) => [name, page]),
      strategies.map(({ name }) => [name, name]),
    );
  });
});

describe('what stands in several places', () => {
  it('docs/errors.md explains every code of a finding, and no other', () => {
    const [, union = ''] = /type FindingCode =([^;]+);/u.exec(read('src/findings/finding.ts')) ?? [];
    const codes = [...union.matchAll(/'([a-z-]+)'/gu)].map(([, code]) => code);
    const explained = [...read('docs/errors.md').matchAll(/^\| `([a-z]+(?:-[a-z]+)*)` /gmu)].map(([, code]) => code);
    assert.deepEqual(explained, codes);
  });

  it('the version is that of package.json', () => {
    const { version } = JSON.parse(read('package.json')) as { readonly version: string };
    assert.equal(VERSION, version);
  });
});

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file))
    .sort();
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function codeBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block);
}

/** Flags in inline code and on the lines of shell blocks that call the program; other programs have flags of their own. */
function flagsNamed(text: string): readonly string[] {
  const calls = codeBlocks(text, 'sh').flatMap((block) =>
    block.split('\n').filter((line) => line.includes('evenkeel')),
  );
  const inline = [...text.matchAll(/`(--[^`]+)`/gu)].map(([, code = '']) => code);
  return [...calls, ...inline].flatMap((code) => code.match(/--[a-z][a-z0-9-]+/gu) ?? []);
}

function flagsOf(command: Command): ReadonlySet<string> {
  const own = command.options.flatMap(({ long }) => long ?? []);
  return new Set([...own, ...command.commands.flatMap((child) => [...flagsOf(child)]), '--help']);
}
