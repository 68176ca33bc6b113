import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile, lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOutputFile, writeOutputFile } from '../../src/cli/output-file.ts';

describe('--output-file', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-output-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes a new file and leaves nothing else behind', async () => {
    await writeOutputFile(join(folder, 'report.json'), 'text\n');
    assert.equal(await readFile(join(folder, 'report.json'), 'utf8'), 'text\n');
    assert.deepEqual(await readdir(folder), ['report.json']);
  });

  it('replaces a file and keeps its mode', async () => {
    const path = join(folder, 'report.json');
    await writeFile(path, 'a much longer text than the new one\n', { mode: 0o640 });
    await writeOutputFile(path, 'short\n');
    assert.equal(await readFile(path, 'utf8'), 'short\n');
    assert.equal((await stat(path)).mode & 0o777, 0o640);
  });

  it('follows a link to the file that it names', async () => {
    await writeFile(join(folder, 'target'), 'old\n');
    await symlink('target', join(folder, 'link'));
    await writeOutputFile(join(folder, 'link'), 'new\n');
    assert.ok((await lstat(join(folder, 'link'))).isSymbolicLink());
    assert.equal(await readFile(join(folder, 'target'), 'utf8'), 'new\n');
  });

  it('says that the disk is full, exit code 1, and leaves the device as it is', async () => {
    await assert.rejects(writeOutputFile('/dev/full', 'text\n'), {
      message: '--output-file /dev/full: the disk is full: make room or choose another place; nothing was written',
      exitCode: 1,
    });
    assert.ok((await stat('/dev/full')).isCharacterDevice());
  });

  it('leaves the old file whole where the new one cannot be written', async () => {
    const path = join(folder, 'report.json');
    await writeFile(path, 'old\n');
    // The place of the draft is taken, which stands for any failure on the way.
    await mkdir(join(folder, `.report.json.${process.pid}.partial`));
    await assert.rejects(writeOutputFile(path, 'new\n'), { exitCode: 1, message: /nothing was written$/ });
    assert.equal(await readFile(path, 'utf8'), 'old\n');
  });

  it('refuses a folder that does not exist before any work is done, exit code 2', async () => {
    await assert.rejects(checkOutputFile(join(folder, 'no', 'report.json')), {
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
