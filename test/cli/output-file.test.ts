import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lchown, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { checkOutputFile, writeOutput } from '../../src/cli/files/output-file.ts';
import { TemporaryFile } from '../../src/cli/files/temporary-file.ts';
import { recorder } from './recorder.ts';

const root = join(import.meta.dirname, '..', '..');
const bundle = join(root, 'dist', 'evenkeel.cjs');

describe('--output-file', () => {
  let folder = '';
  const at = (name: string) => join(folder, name);
  const modeOf = async (name: string) => (await stat(at(name))).mode & 0o777;
  const write = (path: string, text: string) => writeOutput(text, path, recorder().terminal);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-output-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes a new file that nobody else can read, and leaves nothing else behind', async () => {
    await write(at('report.json'), 'text\n');
    assert.equal(await readFile(at('report.json'), 'utf8'), 'text\n');
    assert.equal(await modeOf('report.json'), 0o600);
    assert.deepEqual(await readdir(folder), ['report.json']);
  });

  it('replaces a file and keeps its mode', async () => {
    await writeFile(at('report.json'), 'a much longer text than the new one\n', { mode: 0o640 });
    await write(at('report.json'), 'short\n');
    assert.equal(await readFile(at('report.json'), 'utf8'), 'short\n');
    assert.equal(await modeOf('report.json'), 0o640);
  });

  it('packs it if its name says so', async () => {
    await write(at('report.json.gz'), 'text\n');
    assert.equal(gunzipSync(await readFile(at('report.json.gz'))).toString(), 'text\n');
    assert.equal(await modeOf('report.json.gz'), 0o600);
    assert.deepEqual(await readdir(folder), ['report.json.gz']);
  });

  it('drafts it beside its place, where nobody else can read it or guess its name', async () => {
    const drafts = [await TemporaryFile.create(folder), await TemporaryFile.create(folder)];
    const names = await readdir(folder);
    assert.equal(names.length, 2);
    for (const name of names) {
      assert.match(name, /^\.evenkeel-[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/u);
      assert.equal(await modeOf(name), 0o600);
    }
    for (const draft of drafts) await draft.close();
    assert.deepEqual(await readdir(folder), []);
  });

  for (const end of ['process.exit(1)', "setImmediate(() => { throw new Error('boom'); })"]) {
    it(`leaves no draft behind where the program ends with ${end}`, () => {
      const temporary = join(root, 'src', 'cli', 'files', 'temporary-file.ts');
      const script = `import(${JSON.stringify(temporary)}).then(({ TemporaryFile }) => TemporaryFile.create(${JSON.stringify(folder)})).then(() => { console.log(fs.readdirSync(${JSON.stringify(folder)}).length); ${end}; });`;
      const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], {
        encoding: 'utf8',
        cwd: root,
      });
      assert.deepEqual([status, stdout], [1, '1\n']);
      assert.deepEqual(spawnSync('ls', ['-A', folder], { encoding: 'utf8' }).stdout, '');
    });
  }

  it('follows a link of ours to the file that it names, there or not', async () => {
    await writeFile(at('target'), 'old\n');
    await symlink('target', at('link'));
    await symlink('link', at('link to link'));
    await symlink('later', at('link to nothing'));
    await write(at('link to link'), 'new\n');
    await write(at('link to nothing'), 'new\n');
    for (const link of ['link', 'link to link', 'link to nothing']) {
      assert.ok((await lstat(at(link))).isSymbolicLink());
      assert.equal(await readFile(at(link), 'utf8'), 'new\n');
    }
  });

  it('refuses a link of another user, which could have any file overwritten, exit code 2', async () => {
    const [link, target] = await foreignLink(at('link'));
    const refused = {
      message: `--output-file ${link}: ${link} is a link of another user: give the path that it names, ${target}`,
      exitCode: 2,
    };
    await assert.rejects(checkOutputFile(link), refused);
    await assert.rejects(write(link, 'text\n'), refused);
  });

  it('refuses links that lead round in a circle, exit code 2', async () => {
    await symlink('b', at('a'));
    await symlink('a', at('b'));
    await assert.rejects(checkOutputFile(at('a')), {
      message: `--output-file ${at('a')}: its links lead round in a circle`,
    });
  });

  it('/dev/stdout and /dev/stderr are what the program has as such', async () => {
    for (const [path, expected] of [
      ['/dev/stdout', ['text\n', '']],
      ['/dev/fd/1', ['text\n', '']],
      ['/dev/stderr', ['', 'text\n']],
    ] as const) {
      const { terminal, printed, complained } = recorder();
      await writeOutput('text\n', path, terminal);
      assert.deepEqual([printed(), complained()], expected);
    }
  });

  it('adds to an open file and writes into a pipe', () => {
    const shell = `exec 3>>"$1"; echo first >&3; node "$0" demo -o json --output-file /dev/fd/3; echo last >&3
      node "$0" demo -o json --output-file /dev/stdout | head -n 1`;
    const { stdout } = spawnSync('sh', ['-c', shell, bundle, at('all')], { encoding: 'utf8' });
    assert.equal(stdout, '{\n');
    const all = spawnSync('cat', [at('all')], { encoding: 'utf8' }).stdout;
    assert.match(all, /^first\n\{\n[^]*\n\}\nlast\n$/u);
  });

  it('says that the disk is full, exit code 1, and leaves the device as it is', async () => {
    await assert.rejects(write('/dev/full', 'text\n'), {
      message: '--output-file /dev/full: the disk is full: make room or choose another place; nothing was written',
      exitCode: 1,
    });
    assert.ok((await stat('/dev/full')).isCharacterDevice());
  });

  it('leaves the old file whole where the new one cannot be written, exit code 1', async () => {
    await writeFile(at('report.json'), 'old\n');
    const shell = 'ulimit -f 1; node "$0" demo -o json --output-file "$1"';
    const { status, stderr } = spawnSync('sh', ['-c', shell, bundle, at('report.json')], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^error: --output-file \S+: EFBIG: .*; nothing was written\n$/u);
    assert.equal(await readFile(at('report.json'), 'utf8'), 'old\n');
    assert.deepEqual(await readdir(folder), ['report.json']);
  });

  it('refuses a folder that does not exist before any work is done, exit code 2', async () => {
    await assert.rejects(checkOutputFile(at('no/report.json')), {
      message: `--output-file ${folder}/no/report.json: the folder ${folder}/no does not exist or can't be read`,
      exitCode: 2,
    });
  });

  it('refuses a folder in the place of the file, exit code 2', async () => {
    await assert.rejects(checkOutputFile(folder), {
      message: `--output-file ${folder} is a folder: give the name of a file in it`,
      exitCode: 2,
    });
  });
});

/** A link that somebody else has made, and what it names: the superuser gives one away, others find one of the superuser's. */
async function foreignLink(path: string): Promise<readonly [string, string]> {
  if (process.geteuid?.() !== 0) return ['/etc/mtab', '/proc/self/mounts'];
  await symlink('target', path);
  await lchown(path, 65_534, 65_534);
  return [path, join(path, '..', 'target')];
}
