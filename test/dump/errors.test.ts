import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DumpError } from '../../src/dump/dump-error.ts';
import { readDump } from '../../src/dump/read-dump.ts';
import { inFolder } from './folder.ts';

const AGAIN = 'write the dump again, for example with `kubectl get nodes,pods -A -o json > cluster.json`';
const KUBECTL = 'give what `kubectl get nodes,pods -A -o json` prints';
const LIST =
  '{"kind":"List","items":[\n{"kind":"Node","metadata":{"name":"n1"}},\n{"kind":"Pod","metadata":{"name":"web"}}\n]}\n';

const manyPods = Array.from({ length: 60_000 }, (_, i) => `{"kind":"Pod","metadata":{"name":"p${i}"}},\n`).join('');

/** A message, with what follows the name of the file. */
function row(sentence: string, content: string | Buffer, message: string): void {
  it(sentence, () => fails('cluster.json', content, message));
}

async function fails(name: string, content: string | Buffer, message: string): Promise<void> {
  await inFolder({ [name]: content }, async (folder) => {
    const file = join(folder, name);
    await assert.rejects(readDump([file]), (error) => {
      assert(error instanceof DumpError);
      assert.equal(error.message, `${file}${message}`);
      assert.equal(error.file, file);
      return true;
    });
  });
}

describe('a dump that cannot be read', () => {
  row('is empty', '', `: the file is empty; ${AGAIN}`);
  row('is blank', ' \n\n', `: the file is empty; ${AGAIN}`);
  row(
    'holds JSON of something else',
    '{"name":"left-pad","version":"1.3.0"}',
    `: holds no Kubernetes objects; ${KUBECTL}`,
  );
  row('holds a list of something else', '[1,2,3]', `: holds no Kubernetes objects; ${KUBECTL}`);
  row('holds text', 'Error from server (Forbidden)\n', `: holds no Kubernetes objects; ${KUBECTL}`);
  row(
    'holds only a policy',
    '{"apiVersion":"descheduler/v1alpha2","kind":"DeschedulerPolicy"}',
    `: holds no objects of a kind that is read, only DeschedulerPolicy; ${KUBECTL}`,
  );
  row(
    'holds one long thing that is not YAML: it is quoted in part',
    '?   >\t'.repeat(2000),
    `:1:7: not YAML: not a YAML token: ${'?   >\t'.repeat(46)}?   >…; ${AGAIN}`,
  );
  row('holds bytes', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]), `: is neither JSON nor YAML; ${AGAIN}`);
  row('is a zip archive', 'PK\x03\x04rest', ': is a zip archive; unpack it and give the folder');
  row(
    'is compressed by other means',
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1]),
    ': is compressed with zstd; decompress it first, or use gzip',
  );
  row(
    'is a packed tar archive',
    gzipSync(Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0'), Buffer.alloc(300)])),
    ': is a tar archive; unpack it and give the folder',
  );

  row(
    'ends within a value',
    LIST.slice(0, 100),
    `:3:34: not JSON: the file ends inside a value: it is truncated; ${AGAIN}`,
  );
  row(
    'ends within its list',
    LIST.slice(0, LIST.indexOf(']')),
    `:4:1: not JSON: the file ends inside a value: it is truncated; ${AGAIN}`,
  );
  row('ends before it says anything', '{', `:1:2: not JSON: the file ends inside a value: it is truncated; ${AGAIN}`);
  row(
    'lacks a comma',
    LIST.replace(',\n{"kind":"Pod"', '\n{"kind":"Pod"'),
    `:3:1: not JSON: ',' or ']' must stand here; ${AGAIN}`,
  );
  row(
    'lacks a colon where nothing is read',
    LIST.replace('"name":"web"', '"name":"web","x" 1'),
    `:3:44: not JSON: ':' must stand here; ${AGAIN}`,
  );
  row(
    'lacks a quote',
    LIST.replace('"name":"n1"', '"name":"n1'),
    `:2:41: not JSON: a string that does not end on its line; ${AGAIN}`,
  );
  row(
    'has something behind its end',
    `${LIST}error: timeout\n`,
    `:5:1: not JSON: neither an object nor an array; ${AGAIN}`,
  );
  row(
    'has a broken line among its lines',
    '{"kind":"Node","metadata":{"name":"n1"}}\n{"kind":"Pod",\n{"kind":"Pod"}\n',
    `:3:1: not JSON: a key in double quotes must stand here; ${AGAIN}`,
  );
  row(
    'has a broken escape',
    '{"kind":"Pod","metadata":{"name":"\\x"}}',
    `:1:35: not JSON: a string with a broken escape; ${AGAIN}`,
  );
  row(
    'has a broken number',
    '{"kind":"Pod","metadata":{"name":"a","generation":1.2.3}}',
    `:1:51: not JSON: no JSON number; ${AGAIN}`,
  );
  row(
    'is broken far behind its beginning',
    `{"kind":"List","items":[\n${manyPods}oops]}`,
    `:60002:1: not JSON: a value must stand here; ${AGAIN}`,
  );
  row(
    'is broken when unpacked',
    gzipSync('{"kind":"List",\n"items":[}'),
    `:2:10: not JSON: a value must stand here; ${AGAIN}`,
  );
  row(
    'is truncated gzip',
    gzipSync(LIST).subarray(0, 60),
    `: the gzip data ends too early: the file is truncated; ${AGAIN}`,
  );
  row(
    'is damaged gzip',
    Buffer.concat([gzipSync(LIST).subarray(0, 10), Buffer.alloc(50, 0xff)]),
    `: the gzip data is damaged (invalid block type); ${AGAIN}`,
  );

  it('is broken YAML', () =>
    fails(
      'a.yaml',
      'kind: List\nitems:\n- kind: Pod\n  metadata:\n    name: a\n   labels: b\n',
      `:6:1: not YAML: all mapping items must start at the same column; ${AGAIN}`,
    ));
  it('is broken YAML in its second document', () =>
    fails(
      'a.yaml',
      'kind: Pod\nmetadata: {name: a}\n---\nkind: [Pod\n',
      `:5:1: not YAML: flow sequence in block collection must be sufficiently indented and end with a ]; ${AGAIN}`,
    ));
  it('is broken YAML behind its items', () =>
    fails(
      'a.yaml',
      'items:\n- kind: Pod\n  metadata: {name: a}\nkind: List\nmetadata: {a: b\n',
      `:6:1: not YAML: flow map in block collection must be sufficiently indented and end with a }; ${AGAIN}`,
    ));
  it('is YAML that grows without end', async () => {
    const lines = ['a: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      lines.push(
        `b${i}: &a${i} [${Array<string>(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    await fails(
      'a.yaml',
      lines.join('\n'),
      `:1:1: not YAML: excessive alias count indicates a resource exhaustion attack; ${AGAIN}`,
    );
  });

  it('is a YAML document that is too large', async () => {
    await inFolder({ 'a.yaml': `kind: Pod\nmetadata: {name: a}\n---\n# ${'x'.repeat(2 << 20)}\n` }, async (folder) => {
      await assert.rejects(readDump([folder], { yamlLimit: 1 << 20 }), {
        name: 'DumpError',
        message: `${join(folder, 'a.yaml')}:3: the YAML document that begins here is larger than 1 MB; write the dump as JSON (\`-o json\` instead of \`-o yaml\`), which can be of any size`,
      });
    });
  });

  it('is large YAML in small documents, which is fine', async () => {
    const documents = Array.from(
      { length: 40 },
      (_, i) => `kind: Node\nmetadata: {name: n${i}}\n# ${'x'.repeat(60_000)}\n`,
    );
    await inFolder({ 'a.yaml': documents.join('---\n') }, async (folder) => {
      assert.equal((await readDump([folder], { yamlLimit: 1 << 20 })).contents.nodes.length, 40);
    });
  });

  it('is not there', async () => {
    await assert.rejects(readDump(['/nowhere/cluster.json']), {
      message: '/nowhere/cluster.json: no such file or folder; check the path',
    });
  });

  it('is a folder without any dump', async () => {
    await inFolder({ 'logs.txt': 'x', 'version.json': '{"major":"1"}' }, async (folder) => {
      await assert.rejects(readDump([folder]), { message: `${folder}: holds no Kubernetes objects; ${KUBECTL}` });
    });
  });

  it('is a folder in which one dump is broken', async () => {
    await inFolder({ 'a.json': LIST, 'b/c.json': '{"kind":"PodList","items":[' }, async (folder) => {
      await assert.rejects(readDump([folder]), {
        message: `${join(folder, 'b/c.json')}:1:28: not JSON: the file ends inside a value: it is truncated; ${AGAIN}`,
      });
    });
  });

  it('comes through a pipe: then only the byte is known', async () => {
    await inFolder({}, async (folder) => {
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      spawn('sh', ['-c', `printf '{"kind":"List",\\n"items":[}' > '${pipe}'`]);
      await assert.rejects(readDump([pipe]), {
        message: `${pipe} at byte 25: not JSON: a value must stand here; ${AGAIN}`,
      });
    });
  });

  // Root may read everything.
  if (process.getuid?.() !== 0) {
    it('may not be read', async () => {
      await inFolder({ 'a.json': LIST }, async (folder) => {
        chmodSync(join(folder, 'a.json'), 0);
        await assert.rejects(readDump([folder]), {
          message: `${join(folder, 'a.json')}: may not be read; check the permissions of the file and of the folders above it`,
        });
      });
    });
  }
});
