import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { MARKS } from '../../src/cluster/decode/decode-table.ts';
import { Snapshot, type ClusterContents } from '../../src/cluster/snapshot.ts';
import { demoObjects } from '../../src/demo/cluster.ts';
import { readDump } from '../../src/dump/read-dump.ts';
import { PATHS } from '../../src/kube/http/paths.ts';
import { readCluster } from '../../src/kube/watch/source.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { connectBy, Folder, kubeconfig, page, play, status, type Reply, type Script } from '../kube/conversation.ts';
import { recorder } from './recorder.ts';

const DISCOVERY: Readonly<Record<string, Reply>> = {
  '/api/v1': {
    body: { resources: [{ name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1' }] },
  },
  '/version': { body: { minor: '36' } },
};
const secretive = {
  metadata: {
    name: 'p',
    namespace: 'd',
    uid: 'u',
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': 'SECRET',
      'descheduler.alpha.kubernetes.io/evict': 'yes',
    },
    managedFields: [{ manager: 'SECRET' }],
  },
  spec: {
    nodeName: 'n1',
    containers: [
      { name: 'c', env: [{ name: 'A', value: 'SECRET' }], command: ['SECRET'], args: ['SECRET'], lifecycle: 'SECRET' },
    ],
  },
  status: { phase: 'Running', message: 'SECRET' },
};

describe('dump', () => {
  let folder = new Folder();
  beforeEach(() => {
    folder = new Folder();
  });
  afterEach(() => folder.remove());

  it('writes typed lists, an object a line, with the time, and says what it wrote', async () => {
    const script = once({ '/api/v1/nodes': page([{ metadata: { name: 'n1' } }]), '/api/v1/pods': page([secretive]) });
    const file = join(folder.path, 'cluster.json');
    const { exitCode, printed, complained } = await dump(script, ['--output-file', file]);
    assert.deepEqual([exitCode, printed], [0, '']);
    assert.match(complained, new RegExp(`^warning: .*\n[^]*${file}: 1 node, 1 pod, 2 objects of 2 kinds\n$`, 'u'));
    const lines = readFileSync(file, 'utf8').split('\n');
    assert.match(
      lines[0] ?? '',
      /^\{"apiVersion":"v1","kind":"PodList","metadata":\{"annotations":\{"evenkeel.io\/dumped-at":"20\d\d-[^"]+Z"\}\},"items":\[$/,
    );
    assert.deepEqual(lines.slice(1, 3), [
      '{"kind":"Pod","metadata":{"name":"p","namespace":"d","uid":"u","annotations":{"descheduler.alpha.kubernetes.io/evict":""}},' +
        '"spec":{"nodeName":"n1","containers":[{"name":"c"}]},"status":{"phase":"Running"}}',
      ']}',
    ]);
    assert.deepEqual(readdirSync(folder.path).sort(), ['cluster.json', 'config']);
  });

  it('holds all that a live run reads, and what that does not know', async () => {
    const { script, read } = demoScript();
    const file = join(folder.path, 'cluster.json.gz');
    const { exitCode } = await dump(script(), ['--output-file', file]);
    assert.equal(exitCode, 0);
    const { contents } = await readDump([file]);
    assert.deepEqual(viewOf(contents), viewOf(await read(folder)));
  });

  it('under pseudonyms holds as much, and no name', async () => {
    const { script, read } = demoScript();
    const file = join(folder.path, 'cluster.json');
    const { exitCode } = await dump(script(), ['--redact', '--output-file', file]);
    assert.equal(exitCode, 0);
    assert.deepEqual(readdirSync(folder.path).sort(), ['cluster.json', 'config']);
    const { contents } = await readDump([file]);
    const plain = await read(folder);
    assert.deepEqual([contents.nodes.length, contents.pods.length], [plain.nodes.length, plain.pods.length]);
    const text = readFileSync(file, 'utf8');
    assert.deepEqual(
      plain.nodes.filter(({ name }) => text.includes(`"${name}"`)),
      [],
    );
  });

  it('starts a list again whose token has expired, without what had come before', async () => {
    const node = (name: string) => ({ metadata: { name } });
    const script = {
      ...once({ '/api/v1/pods': page([]) }),
      '/api/v1/nodes': [
        page([node('gone'), node('a')], { continue: 'x' }),
        status(410, 'too old'),
        page([node('a')], { continue: 'y' }),
        page([node('b')]),
      ],
    };
    const { printed } = await dump(script, []);
    const [pods = '', nodes = ''] = printed.split(/(?<=\]\}\n)/u);
    assert.deepEqual((JSON.parse(pods) as { items: unknown[] }).items, []);
    assert.deepEqual(
      (JSON.parse(nodes) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name),
      ['a', 'b'],
    );
  });

  it('is nothing at all where the cluster cannot be read to the end, and the old file stays', async () => {
    const file = join(folder.path, 'cluster.json');
    writeFileSync(file, 'old');
    const script = once({ '/api/v1/pods': page([secretive]), '/api/v1/nodes': status(403, 'nodes is forbidden') });
    const { exitCode, complained } = await dump(script, ['--output-file', file]);
    assert.equal(exitCode, 1);
    assert.match(complained, /^error: cannot list nodes: nodes is forbidden\. Grant/);
    assert.equal(readFileSync(file, 'utf8'), 'old');
    assert.deepEqual(readdirSync(folder.path).sort(), ['cluster.json', 'config']);
    assert.equal((await dump(script, [])).printed, '');
  });

  it('refuses a place that cannot become a file before it asks anybody', async () => {
    mkdirSync(join(folder.path, 'sub'));
    const { exitCode, complained, heard } = await dump({}, ['--output-file', join(folder.path, 'sub')]);
    assert.deepEqual([exitCode, heard], [2, 0]);
    assert.match(complained, /is a folder: give the name of a file in it/);
  });

  it('a full disk is one message, and nothing is left', async () => {
    const script = once({ '/api/v1/pods': page([secretive]), '/api/v1/nodes': page([]) });
    const { exitCode, complained } = await dump(script, ['--output-file', '/dev/full']);
    assert.equal(exitCode, 1);
    assert.match(
      complained,
      /^error: --output-file \/dev\/full: the disk is full: make room or choose another place; nothing was written\n$/,
    );
  });

  async function dump(script: Script, argv: readonly string[]) {
    const server = await play(script);
    const { terminal, printed, complained } = recorder();
    const config = folder.write('config', kubeconfig(server.url));
    const exitCode = await runProgram(['dump', '--kubeconfig', config, ...argv], terminal);
    server.close();
    return { exitCode, printed: printed(), complained: complained(), heard: server.heard.length };
  }
});

function once(replies: Readonly<Record<string, Reply>>): Record<string, readonly Reply[]> {
  const all = { ...DISCOVERY, ...replies };
  return Object.fromEntries(Object.entries(all).map(([path, reply]) => [path, [reply]]));
}

/** The demo cluster as an API server lists it, its kinds without objects empty, and the rest not there. */
function demoScript() {
  const objects = demoObjects() as readonly { readonly kind: string }[];
  const known = new Set([...objects.map(({ kind }) => kind), 'ReplicationController']);
  const lists = Object.entries(PATHS)
    .filter(([kind]) => known.has(kind))
    .map(([kind, path]) => [path, page(objects.filter((object) => object.kind === kind).map(withoutKind))] as const);
  const script = () => once(Object.fromEntries(lists));
  return {
    script,
    read: async (folder: Folder) => {
      const server = await play(script());
      const transport = connectBy(folder.write('live', kubeconfig(server.url)));
      const { contents } = await readCluster(transport, { clock: systemClock });
      transport.close();
      server.close();
      return contents;
    },
  };
}

/** What a cycle sees, in its order. */
/** Of an annotation that only has to be there a dump holds no value. */
function viewOf(contents: ClusterContents): unknown {
  const { nodes, pods, others } = new Snapshot(contents);
  const bare = (key: string, value: unknown) => (MARKS.has(key) && value !== 'false' ? '' : value);
  return JSON.parse(JSON.stringify({ nodes, pods, others }, bare));
}

/** Items of a list carry neither kind nor apiVersion. */
function withoutKind(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== 'kind' && key !== 'apiVersion'));
}
