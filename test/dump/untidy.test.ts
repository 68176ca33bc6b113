import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readDump, type Dump } from '../../src/dump/read-dump.ts';
import { inFolder, type Files } from './folder.ts';

/** What a dump holds, as far as these rows go: names by kind, and what the report will say. */
interface Summary {
  readonly nodes?: readonly string[];
  readonly pods?: readonly string[];
  readonly others?: Readonly<Record<string, readonly string[]>>;
  readonly warnings?: readonly string[];
  readonly ignored?: Readonly<Record<string, number>>;
  readonly duplicates?: number;
  readonly dumpedAt?: string;
}

const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status: { allocatable: { cpu: '1' } } };
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { nodeName: 'n1', containers: [] },
};
const both = json({ kind: 'List', items: [NODE, POD] });
const BARE_POD = { metadata: POD.metadata, spec: POD.spec };
const BARE_NODE = { metadata: NODE.metadata, status: NODE.status };
const bare = (name: string, parts: object): object => ({ metadata: { name, namespace: 'shop' }, ...parts });

function json(value: unknown): string {
  return JSON.stringify(value);
}

function row(sentence: string, files: Files, expected: Summary): void {
  it(sentence, () =>
    inFolder(files, async (folder) => assert.deepEqual(summary(await readDump([folder])), full(expected))),
  );
}

function full(expected: Summary): Summary {
  const nothing = { others: {}, warnings: [], ignored: {}, duplicates: 0, dumpedAt: undefined };
  return { nodes: ['n1'], pods: ['shop/web'], ...nothing, ...expected } as Summary;
}

function summary({ contents, warnings, ignored, duplicates, dumpedAt }: Dump): Summary {
  const others = Object.entries(contents.others).map(([kind, list]) => [kind, list.map((object) => object.name)]);
  return {
    nodes: contents.nodes.map((node) => node.name),
    pods: contents.pods.map((pod) => `${pod.namespace}/${pod.name}`),
    others: Object.fromEntries(others) as Record<string, string[]>,
    warnings,
    ignored,
    duplicates,
    dumpedAt,
  } as Summary;
}

describe('an untidy dump', () => {
  row(
    'with null where items should be',
    {
      'a.json': both,
      'b.json': json({ kind: 'PodList', items: null }),
      'c.json': json({ kind: 'LeaseList', items: null }),
    },
    { others: { Lease: [] } },
  );
  row(
    'with empty and with headless lists: the kind is known, but empty',
    {
      'a.json': both,
      'b.json': '{"kind":"PodDisruptionBudgetList"}',
      'services.json': json({ kind: 'List', items: [] }),
    },
    {
      others: { PodDisruptionBudget: [], Service: [] },
    },
  );
  row(
    'with an empty List whose file says nothing: the kind stays unknown',
    { 'a.json': both, 'rest.json': json({ kind: 'List', items: [] }) },
    {},
  );
  row('with bare arrays', { 'a.json': json([NODE, POD]) }, {});
  row(
    'with arrays whose objects say no kind, known by the file',
    {
      'core_v1_pods.json': json([BARE_POD]),
      'nodes.json': json([BARE_NODE]),
      'metrics.k8s.io_v1beta1_nodes.json': json([bare('n1', { usage: { cpu: '1' } })]),
    },
    {
      others: { NodeMetrics: ['n1'] },
      warnings: ["objects in 3 files say no kind; it was taken from the file's name or the object's shape"],
    },
  );
  row(
    'with lists that say no kind, known by the folder',
    { 'nodes/all.json': json({ items: [bare('n1', {})] }), 'pods/ns/shop.json': json({ items: [bare('web', {})] }) },
    {
      warnings: ["objects in 2 files say no kind; it was taken from the file's name or the object's shape"],
    },
  );
  row(
    'with a single object that says no kind',
    { 'x.json': json(BARE_POD), 'y.json': json(BARE_NODE) },
    {
      warnings: ["objects in 2 files say no kind; it was taken from the file's name or the object's shape"],
    },
  );
  row(
    'with objects of all kinds known only by their shape',
    {
      'x.json': json([
        BARE_POD,
        BARE_NODE,
        bare('cron', { spec: { jobTemplate: {} } }),
        bare('job', { spec: { template: {}, backoffLimit: 6 } }),
        bare('sts', { spec: { template: {}, serviceName: 's' } }),
        bare('deploy', { spec: { template: {}, strategy: {} } }),
        bare('ds', { spec: { template: {}, updateStrategy: {} } }),
        bare('rs', { spec: { template: {}, replicas: 1, selector: { matchLabels: {} } } }),
        bare('rc', { spec: { template: {}, replicas: 1, selector: { app: 'a' } } }),
        bare('pdb', { spec: { minAvailable: 1 } }),
        bare('pv', { spec: { capacity: { storage: '1Gi' }, accessModes: [] } }),
        bare('pvc', { spec: { accessModes: [], resources: {} } }),
        bare('svc', { spec: { clusterIP: 'None' } }),
        bare('lease', { spec: { holderIdentity: 'n1' } }),
        bare('csinode', { spec: { drivers: null, driversX: [] } }),
        bare('csinode2', { spec: { drivers: [] } }),
        bare('va', { spec: { attacher: 'a' } }),
        bare('driver', { spec: { attachRequired: true } }),
        bare('sc', { provisioner: 'p' }),
        bare('capacity', { storageClassName: 's' }),
        bare('pc', { value: 1 }),
        bare('nm', { usage: {} }),
        bare('pm', { containers: [] }),
        bare('ns', { spec: { finalizers: ['kubernetes'] } }),
      ]),
    },
    {
      others: {
        CSIDriver: ['driver'],
        CSINode: ['csinode2'],
        CSIStorageCapacity: ['capacity'],
        CronJob: ['cron'],
        DaemonSet: ['ds'],
        Deployment: ['deploy'],
        Job: ['job'],
        Lease: ['lease'],
        Namespace: ['ns'],
        NodeMetrics: ['nm'],
        PersistentVolume: ['pv'],
        PersistentVolumeClaim: ['pvc'],
        PodDisruptionBudget: ['pdb'],
        PodMetrics: ['pm'],
        PriorityClass: ['pc'],
        ReplicaSet: ['rs'],
        ReplicationController: ['rc'],
        Service: ['svc'],
        StatefulSet: ['sts'],
        StorageClass: ['sc'],
        VolumeAttachment: ['va'],
      },
      warnings: ["objects in 1 file say no kind; it was taken from the file's name or the object's shape"],
    },
  );
  row(
    'with the same object in several files',
    { 'a.json': both, 'b.json': both, 'c.json': json(POD) },
    { duplicates: 3 },
  );
  row(
    'with kinds that are not read',
    {
      'a.json': both,
      'events.json': json({ kind: 'EventList', items: [{}, {}] }),
      'b.json': json({ kind: 'List', items: [{ kind: 'Secret', metadata: { name: 's' } }] }),
      'c.yaml': 'kind: ConfigMap\nmetadata: {name: c}\n',
    },
    {
      ignored: { ConfigMap: 1, Event: 2, Secret: 1 },
      warnings: ['4 objects of kinds that are not read are ignored: 1 ConfigMap, 2 Event, 1 Secret'],
    },
  );
  row(
    'with objects without a name',
    { 'a.json': both, 'b.json': json({ kind: 'Pod', metadata: { generateName: 'web-' } }), 'c.yaml': 'kind: Node\n' },
    {
      ignored: { 'Node without a name': 1, 'Pod without a name': 1 },
      warnings: ['2 objects of kinds that are not read are ignored: 1 Node without a name, 1 Pod without a name'],
    },
  );
  row(
    'with entries that are no objects',
    {
      'a.json': json({ kind: 'List', items: [null, 'x', 1, [null], NODE, POD] }),
      'b.yaml': '---\n---\nkind: List\nitems:\n- null\n- x\n',
      'pods.json': json({ items: [null] }),
    },
    { others: {}, warnings: ['7 entries of lists are null or no objects, and ignored'] },
  );
  row(
    'with files that are no dumps: logs, text, hidden ones, JSON of something else, empty ones',
    {
      'cluster.json': both,
      'shop/web/logs.txt': 'started\n{',
      '.cache/x.json': '{',
      'version.json': '{"major":"1"}',
      'errors.json': '["not found"]',
      'empty.json': '',
      'blank.yaml': '\n# nothing\n',
      'text.yml': 'just a sentence\n',
    },
    { warnings: ['6 files in the given folders are no dump and ignored'] },
  );
  row(
    'with pods on nodes that are not there',
    {
      'a.json': json([
        NODE,
        POD,
        ...['a', 'b'].map((name) => ({ ...POD, metadata: { name }, spec: { nodeName: name } })),
      ]),
    },
    {
      pods: ['default/a', 'default/b', 'shop/web'],
      warnings: ['2 pods are on 2 nodes that are not in the dump, and not part of placement'],
    },
  );
  row(
    'with no nodes',
    { 'pods.json': json({ kind: 'PodList', items: [] }) },
    { nodes: [], pods: [], warnings: ['the dump has no Node objects at all'] },
  );
  row(
    'with its own time, the latest of several',
    {
      'a.json': json({
        kind: 'List',
        metadata: { annotations: { 'evenkeel.io/dumped-at': '2026-01-01T00:00:00Z' } },
        items: [NODE],
      }),
      'b.json': json({
        kind: 'List',
        items: [POD],
        metadata: { annotations: { 'evenkeel.io/dumped-at': '2026-01-01T02:00:00+01:00' } },
      }),
      'c.yaml':
        'kind: LeaseList\nmetadata:\n  annotations:\n    evenkeel.io/dumped-at: 2025-01-01T00:00:00Z\nitems: []\n',
    },
    { dumpedAt: '2026-01-01T02:00:00+01:00', others: { Lease: [] } },
  );
  row(
    'with a time of its own that cannot be read',
    {
      'a.json': json({
        kind: 'List',
        metadata: { annotations: { 'evenkeel.io/dumped-at': 'noon' } },
        items: [NODE, POD],
      }),
    },
    {
      dumpedAt: 'noon',
      warnings: ["the dump's own time 'noon' is not in RFC 3339 and not used"],
    },
  );
  row(
    'in YAML with comments, anchors, odd indentation and no items',
    {
      'a.yaml':
        '# made by hand\n---\napiVersion: v1\nkind: List\nitems:\n-   kind: Node\n    metadata: &m\n        name: n1\n-\n  kind: Pod\n  metadata: {name: web, namespace: shop}\n---\n---\nkind: PodList\nitems: []\n...\n',
      'b.yml':
        'kind: Lease\nmetadata: {name: l, labels: &l {a: b}}\n---\nkind: List\nitems:\n- kind: Service\n  metadata: {name: s, labels: &l {a: b}, annotations: *l}\n',
    },
    { others: { Lease: ['l'], Service: ['s'] } },
  );
  row(
    'in YAML with text that looks like structure',
    {
      'a.yaml': `apiVersion: v1\nitems:\n- kind: Node\n  metadata:\n    annotations:\n      script: |\n        items:\n        - kind: Pod\n\n        # end\n    name: n1\n- kind: Pod\n  metadata:\n    name: web\n    namespace: shop\nkind: List\nmetadata:\n  resourceVersion: ""\n`,
    },
    {},
  );
  row(
    'in YAML with Windows line ends',
    {
      'a.yaml':
        'kind: List\r\nitems:\r\n- kind: Node\r\n  metadata:\r\n    name: n1\r\n- kind: Pod\r\n  metadata:\r\n    name: web\r\n    namespace: shop\r\n---\r\nkind: LeaseList\r\n',
    },
    { others: { Lease: [] } },
  );

  it('counts the highest resourceVersion, as a number, whatever the order', async () => {
    const copy = (resourceVersion: unknown, phase: string): object => ({
      ...POD,
      metadata: { ...POD.metadata, uid: phase, resourceVersion },
      status: { phase },
    });
    const copies = [
      copy('999', 'Pending'),
      copy('1000', 'Running'),
      copy(undefined, 'Failed'),
      copy('0888', 'Succeeded'),
      copy('x', 'Unknown'),
    ];
    for (const order of [copies, copies.toReversed(), [...copies.slice(2), ...copies]]) {
      await inFolder({ 'a.json': json([NODE, ...order]) }, async (folder) => {
        const { contents } = await readDump([folder]);
        assert.deepEqual(
          contents.pods.map((pod) => [pod.uid, pod.status.phase]),
          [['Running', 'Running']],
        );
      });
    }
  });

  it('decides between copies of one version by what they say, not by their order', async () => {
    const copies = ['Running', 'Pending', 'Failed'].map((phase) => ({ ...POD, status: { phase } }));
    const phases = new Set<string>();
    for (const order of [copies, copies.toReversed(), [...copies.slice(1), ...copies]]) {
      await inFolder({ 'a.json': json([NODE, ...order]) }, async (folder) => {
        phases.add((await readDump([folder])).contents.pods.map((pod) => pod.status.phase).join());
      });
    }
    assert.equal(phases.size, 1);
  });

  it('makes up UIDs that owners and pods agree on', async () => {
    const owner = { kind: 'ReplicaSet', metadata: { name: 'web', namespace: 'shop' } };
    const pod = { ...POD, metadata: { ...POD.metadata, ownerReferences: [{ kind: 'ReplicaSet', name: 'web' }] } };
    await inFolder({ 'a.json': json([NODE, pod, owner]) }, async (folder) => {
      const { contents } = await readDump([folder]);
      const uid = 'ReplicaSet/shop/web';
      assert.deepEqual(
        [contents.others.ReplicaSet?.[0]?.uid, contents.pods[0]?.owners[0]?.uid, contents.pods[0]?.uid],
        [uid, uid, 'Pod/shop/web'],
      );
    });
  });

  it('reads files and folders side by side, links to files, and names itself as given', async () => {
    await inFolder({ 'a/nodes.json': json(NODE), 'pods.json': json(POD) }, async (folder) => {
      symlinkSync(join(folder, 'pods.json'), join(folder, 'a/linked.json'));
      symlinkSync(folder, join(folder, 'a/circle'));
      const paths = [join(folder, 'a'), join(folder, 'pods.json')];
      const dump = await readDump(paths);
      assert.deepEqual(summary(dump), full({ duplicates: 1 }));
      assert.equal(dump.name, paths.join(' '));
    });
  });

  it('takes a file that is named by any name', async () => {
    await inFolder({ 'cluster.txt': both }, async (folder) => {
      assert.deepEqual(summary(await readDump([join(folder, 'cluster.txt')])), full({}));
    });
  });

  it('has as its latest time that of anything that has happened', async () => {
    const lease = { kind: 'Lease', metadata: { name: 'n1' }, spec: { renewTime: '2026-01-01T00:00:07.250000Z' } };
    await inFolder(
      {
        'a.json': json([{ ...NODE, metadata: { name: 'n1', creationTimestamp: '2025-01-01T00:00:00Z' } }, POD, lease]),
      },
      async (folder) => {
        assert.equal((await readDump([folder])).latestTimestamp, Date.UTC(2026, 0, 1, 0, 0, 7, 250));
      },
    );
  });

  const padded = (name: string): object => ({ metadata: { name, namespace: 'shop' }, data: 'x'.repeat(50_000) });
  const kindless = (count: number, kind: string): string =>
    json({ items: Array.from({ length: count }, (_, index) => padded(`${kind.toLowerCase()}-${index}`)), kind });
  for (const [packing, pack, name] of [
    ['', (text: string) => text, 'a.json'],
    [', packed', (text: string) => gzipSync(text, { level: 1 }), 'a.json.gz'],
  ] as const) {
    it(`with lists that say their kind behind items too many to look through in memory${packing}`, () => {
      const text = [kindless(10, 'ServiceList'), kindless(120, 'LeaseList'), kindless(130, 'ReplicaSetList')].join(
        '\n',
      );
      return inFolder({ [name]: pack(text), 'b.json': both }, async (folder) => {
        const { others } = (await readDump([folder])).contents;
        assert.deepEqual([others.Service?.length, others.Lease?.length, others.ReplicaSet?.length], [10, 120, 130]);
      });
    });
  }
  row(
    'with scripts that look like aliases, and with aliases from one item to another',
    {
      'a.yaml': `kind: List
items:
- kind: Node
  metadata: {name: n1}
  data: {run: "rm *.txt; exec &>/dev/null"}
- kind: Pod
  metadata: &it
    name: web
    namespace: shop
- kind: Service
  metadata: *it
`,
    },
    { others: { Service: ['web'] } },
  );
});
