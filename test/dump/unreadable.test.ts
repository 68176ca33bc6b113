import assert from 'node:assert/strict';
import { readDump, type Dump } from '../../src/dump/read-dump.ts';
import { inFolder } from './folder.ts';

const NODE = { kind: 'Node', metadata: { name: 'n1' } };
const pod = (name: string, spec: object, metadata: object = {}): object => ({
  kind: 'Pod',
  metadata: { name, namespace: 'shop', ...metadata },
  spec,
});
const asking = (name: string, requests: object): object =>
  pod(name, { containers: [{ name: 'main', resources: { requests } }] });

function read(...objects: readonly object[]): Promise<Dump> {
  const files = { 'a.json': JSON.stringify({ kind: 'List', items: [NODE, ...objects] }) };
  return inFolder(files, (folder) => readDump([folder]));
}

describe('a value that cannot be read', () => {
  for (const [what, object, warning] of [
    [
      'an amount that is none',
      asking('web', { cpu: 'lots' }),
      'Pod shop/web: spec.containers[0].resources.requests.cpu is "lots", not a quantity such as 500m or 2Gi',
    ],
    [
      'an amount with a suffix that is none',
      { kind: 'Node', metadata: { name: 'n2' }, status: { allocatable: { 'example.com/gpu': '1', memory: '1GB' } } },
      'Node n2: status.allocatable.memory is "1GB", not a quantity such as 500m or 2Gi',
    ],
    [
      'a day that its month does not have',
      pod('web', {}, { creationTimestamp: '2026-02-30T00:00:00Z' }),
      'Pod shop/web: metadata.creationTimestamp is "2026-02-30T00:00:00Z", not a time such as 2026-01-31T09:00:00Z',
    ],
    [
      'the time of a taint',
      {
        kind: 'Node',
        metadata: { name: 'n2' },
        spec: { taints: [{ key: 'a', effect: 'NoExecute', timeAdded: 'now' }] },
      },
      'Node n2: spec.taints[0].timeAdded is "now", not a time such as 2026-01-31T09:00:00Z',
    ],
    [
      'a number as text',
      pod('web', { priority: '7' }),
      'Pod shop/web: spec.priority is "7", not a whole number of 64 bits',
    ],
    [
      'half a number',
      pod('web', { priority: 0.5 }),
      'Pod shop/web: spec.priority is 0.5, not a whole number of 64 bits',
    ],
    [
      'a number beyond 64 bits',
      pod('web', { priority: 1e300 }),
      'Pod shop/web: spec.priority is 1e+300, not a whole number of 64 bits',
    ],
    [
      'a flag as text',
      pod('web', { hostNetwork: 'yes' }),
      'Pod shop/web: spec.hostNetwork is "yes", not true or false',
    ],
    ['a map as a list', pod('web', { containers: {} }), 'Pod shop/web: spec.containers is {}, not a list'],
    [
      'a long text in place of a map',
      { kind: 'Pod', metadata: { name: 'web' }, spec: 'x'.repeat(80) },
      `Pod default/web: spec is "${'x'.repeat(58)}…, not a map of keys`,
    ],
  ] as const) {
    it(`${what} is named with object, path and value`, async () => {
      const { warnings } = await read(object, pod('other', {}));
      assert.deepEqual(
        warnings.filter((line) => line.includes('absent')),
        [`${warning}; it counts as absent`],
      );
    });
  }

  it('is shown up to ten times a kind, by name, and counted beyond, also in parts that many pods share', async () => {
    const pods = Array.from({ length: 13 }, (_, index) => asking(`web-${12 - index}`, { cpu: 'lots' }));
    const { warnings } = await read(...pods, pod('late', {}, { creationTimestamp: 'soon' }));
    assert.deepEqual(
      warnings.map((line) => line.replace(/^Pod shop\/([\w-]+): .*/, '$1')),
      [
        ...['web-0', 'web-10', 'web-11', 'web-12', 'web-1', 'web-2', 'web-3', 'web-4', 'web-5', 'web-6'],
        '3 more quantities of the dump cannot be read and count as absent',
        'late',
      ],
    );
  });

  it('counts as absent', async () => {
    const { contents } = await read(asking('web', { cpu: 'lots', memory: '1Gi' }));
    assert.deepEqual(contents.pods[0]?.spec.containers[0]?.requests, { memory: 2 ** 30 });
  });

  it('is not looked for in what no decision reads', async () => {
    const { warnings } = await read(pod('web', { volumes: [{ name: {}, configMap: {} }], dnsPolicy: 5 }));
    assert.deepEqual(warnings, []);
  });
});
