import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readDump } from '../../src/dump/read-dump.ts';
import { inFolder } from './folder.ts';

const AGAIN = 'write the dump again, for example with `kubectl get nodes,pods -A -o json > cluster.json`';
const CHECK = 'check that it is the right file';
const AS_JSON = 'write the dump as JSON (`-o json` instead of `-o yaml`), which can be of any size';

/** What is said of a pipe into which a shell command writes without end. */
async function saidOf(command: string): Promise<string> {
  return inFolder({}, async (folder) => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', `{ ${command}; } > '${pipe}' 2> /dev/null`]);
    const message = await readDump([pipe]).then(
      () => 'it has been read',
      (error: unknown) => (error instanceof Error ? error.message.replace(pipe, '') : ''),
    );
    writer.kill();
    return message;
  });
}

describe('a stream that never ends', () => {
  for (const [what, command, message] of [
    ['entries', "printf '['; yes null,", `: does not end: it has more than 3000000 objects; ${CHECK}`],
    [
      'a text',
      `printf '{"a":"'; yes a | tr -d '\\n'`,
      / at byte \d+: not JSON: one value is larger than any Kubernetes object; /,
    ],
    ['comments', "yes '# x'", `:1: the YAML document that begins here is larger than 64 MB; ${AS_JSON}`],
    ['white space', "yes ''", `: begins with more than 16 MB of white space; ${CHECK}`],
    ['zeros', 'cat /dev/zero', `: is neither JSON nor YAML; ${AGAIN}`],
  ] as const) {
    it(`of ${what} ends with a message`, async () => {
      const said = await saidOf(command);
      if (typeof message === 'string') assert.equal(said, message);
      else assert.match(said, message);
    });
  }

  it('of pods ends with a message, not with the memory of the process', () => {
    const pods = `awk 'BEGIN { for (;;) print "{\\"kind\\":\\"Pod\\",\\"metadata\\":{\\"name\\":\\"p" i++ "\\"}}" }'`;
    const program = 'node --max-old-space-size=300 --import tsx src/main.ts run --dry-run --from-dump -';
    const root = join(import.meta.dirname, '..', '..');
    const { stderr } = spawnSync('sh', ['-c', `${pods} 2> /dev/null | ${program}`], { cwd: root });
    assert.equal(
      String(stderr),
      'error: standard input: needs more memory than this process may use; allow it more, in MB: NODE_OPTIONS=--max-old-space-size=8192\n',
    );
  });
});

describe('a dump that is much where it should be little', () => {
  async function fails(content: string | Buffer, message: string): Promise<void> {
    await inFolder({ dump: content }, async (folder) => {
      const file = join(folder, 'dump');
      await assert.rejects(readDump([file]), { name: 'DumpError', message: `${file}${message}` });
    });
  }
  const inParts = (problem: string, line: number) =>
    `: is YAML that cannot be read in parts, and from line ${line} on ${problem}; ${AS_JSON}`;

  it('a bomb of white space', () =>
    fails(gzipSync(Buffer.alloc(40 << 20, ' ')), `: begins with more than 16 MB of white space; ${CHECK}`));
  it('a bomb of one text', () =>
    fails(
      gzipSync(`{"kind":"Pod","metadata":{"name":"${'a'.repeat(150 << 20)}`),
      `:1:134217729: not JSON: one value is larger than any Kubernetes object; ${AGAIN}`,
    ));
  it('arrays in arrays', () => fails('['.repeat(100_000), `:1:502: not JSON: nested too deeply; ${AGAIN}`));
  it('lists in lists', () => fails('{"items":['.repeat(100_000), `:1:2512: not JSON: nested too deeply; ${AGAIN}`));
  it('objects in objects', () =>
    fails(`{"kind":"Pod","x":${'{"a":'.repeat(100_000)}`, `:1:2515: not JSON: nested too deeply; ${AGAIN}`));
  it('YAML in YAML', () => fails('- '.repeat(100_000), inParts('nested more than 500 levels deep', 1)));
  it('YAML in brackets', () => fails(`a: ${'['.repeat(100_000)}`, inParts('nested more than 500 levels deep', 1)));
  it('YAML of many aliases', () =>
    fails(`a: &x 1\n${'b: *x\n'.repeat(700_000)}`, inParts('more than 2000000 words and signs', 333_333)));

  it('white space between objects is not kept, however much', async () => {
    const node = '{"kind":"Node","metadata":{"name":"n1"}}';
    await inFolder({ 'a.json.gz': gzipSync(`${node}${' '.repeat(100 << 20)}${node}`) }, async (folder) => {
      assert.equal((await readDump([folder])).duplicates, 1);
    });
  });
});

describe('a folder with what is no file', () => {
  it('is read without it, and says so', async () => {
    await inFolder({ 'a.json': '{"kind":"Node","metadata":{"name":"n1"}}' }, async (folder) => {
      execFileSync('mkfifo', [join(folder, 'pods.json')]);
      symlinkSync('/dev/zero', join(folder, 'zero.json'));
      symlinkSync('loop.json', join(folder, 'loop.json'));
      symlinkSync('nowhere', join(folder, 'gone.json'));
      symlinkSync('.', join(folder, 'self'));
      writeFileSync(join(folder, '.hidden.json'), '{');
      const server = createServer().listen(join(folder, 'socket.json'));
      const { contents, warnings } = await readDump([folder]);
      server.close();
      assert.equal(contents.nodes.length, 1);
      assert.deepEqual(warnings, [
        'the dump has no Pod objects at all',
        '5 files in the given folders are no dump and ignored',
      ]);
    });
  });
});
