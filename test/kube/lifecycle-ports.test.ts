import assert from 'node:assert/strict';
import { lifecyclePorts } from '../../src/kube/write/lifecycle-ports.ts';
import type { LifecyclePorts } from '../../src/kube/write/lifecycle-ports.ts';
import * as given from '../builders/cluster.ts';
import { converse, status, type Reply } from './conversation.ts';

const NOW = Date.parse('2026-01-15T09:00:00.250Z');
const pod = { ...given.pod('web-1', given.namespace('shop')), uid: 'u1' };
const node = { ...given.node('n 1'), uid: 'nu1' };
const podPath = '/api/v1/namespaces/shop/pods/web-1';
const rawPod = { metadata: { name: 'web-1', namespace: 'shop', uid: 'u1', resourceVersion: '9' } };
const rawNode = { metadata: { name: 'n 1', uid: 'nu1', resourceVersion: '12' } };
const taint = { key: 'node.kubernetes.io/unreachable', value: '', effect: 'NoExecute', timeAdded: undefined } as const;

interface Row {
  readonly row: string;
  readonly call: (ports: LifecyclePorts) => Promise<unknown>;
  readonly reply: Reply;
  readonly asked: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

const rows: readonly Row[] = [
  {
    row: 'deletes a pod with its UID as a precondition and its own grace period',
    call: (ports) => ports.deletePod(pod),
    reply: { body: {} },
    asked: `DELETE ${podPath}`,
    contentType: 'application/json',
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u1' } },
  },
  {
    row: 'asks the Eviction API with the same precondition',
    call: (ports) => ports.evictPod(pod),
    reply: { status: 201, body: {} },
    asked: `POST ${podPath}/eviction`,
    contentType: 'application/json',
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'web-1', namespace: 'shop' },
      deleteOptions: { preconditions: { uid: 'u1' } },
    },
  },
  {
    row: 'posts one condition of a pod and leaves the others',
    call: (ports) =>
      ports.patchPodStatus({
        pod,
        condition: { type: 'DisruptionTarget', status: 'True', reason: 'R', message: 'M', transitionAt: NOW },
      }),
    reply: { body: rawPod },
    asked: `PATCH ${podPath}/status`,
    contentType: 'application/strategic-merge-patch+json',
    body: {
      metadata: { uid: 'u1' },
      status: {
        conditions: [
          {
            ...{ type: 'DisruptionTarget', status: 'True', reason: 'R', message: 'M' },
            lastTransitionTime: '2026-01-15T09:00:01Z',
          },
        ],
      },
    },
  },
  {
    row: 'writes the whole list of taints and single labels, guarded by the version it has seen',
    call: (ports) =>
      ports.patchNode({
        node,
        resourceVersion: '11',
        change: {
          taints: [
            { ...taint, timeAdded: '2026-01-15T09:00:00Z' },
            { ...taint, key: 'a', value: 'b' },
          ],
          labels: { 'kubernetes.io/os': 'linux' },
        },
      }),
    reply: { body: rawNode },
    asked: 'PATCH /api/v1/nodes/n%201',
    contentType: 'application/merge-patch+json',
    body: {
      metadata: { uid: 'nu1', resourceVersion: '11', labels: { 'kubernetes.io/os': 'linux' } },
      spec: {
        taints: [
          { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2026-01-15T09:00:00Z' },
          { key: 'a', value: 'b', effect: 'NoExecute' },
        ],
      },
    },
  },
  {
    row: 'posts conditions of a node, guarded in the same way; a heartbeat that is not named stays',
    call: (ports) =>
      ports.patchNodeStatus({
        node,
        resourceVersion: '11',
        conditions: [
          { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'm', transitionAt: NOW },
        ],
      }),
    reply: { body: rawNode },
    asked: 'PATCH /api/v1/nodes/n%201/status',
    contentType: 'application/strategic-merge-patch+json',
    body: {
      metadata: { uid: 'nu1', resourceVersion: '11' },
      status: {
        conditions: [
          {
            ...{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'm' },
            lastTransitionTime: '2026-01-15T09:00:01Z',
          },
        ],
      },
    },
  },
  {
    row: 'dates a taint after testing that it still stands at its place on this very node',
    call: (ports) => ports.stampTaints({ node, stamps: [{ index: 1, taint, timeAdded: '2026-01-15T09:00:00Z' }] }),
    reply: { body: rawNode },
    asked: 'PATCH /api/v1/nodes/n%201',
    contentType: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/metadata/uid', value: 'nu1' },
      { op: 'test', path: '/spec/taints/1/key', value: 'node.kubernetes.io/unreachable' },
      { op: 'test', path: '/spec/taints/1/effect', value: 'NoExecute' },
      { op: 'add', path: '/spec/taints/1/timeAdded', value: '2026-01-15T09:00:00Z' },
    ],
  },
  {
    row: 'reads the Lease of a node',
    call: (ports) => ports.getLease('n 1'),
    reply: { body: { metadata: { name: 'n 1', namespace: 'kube-node-lease', uid: 'l' }, spec: {} } },
    asked: 'GET /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n%201',
  },
];

describe('the ports of the lifecycle controllers', () => {
  for (const { row, call, reply, asked, contentType, body } of rows) {
    it(row, async () => {
      const { result, heard } = await converse([reply], (server) => call(lifecyclePorts(server.call)));
      assert.deepEqual(
        heard.map(({ method, path, headers, body: sent }) => ({
          asked: `${method} ${path}`,
          contentType: headers['content-type'],
          body: sent,
        })),
        [{ asked, contentType, body }],
      );
      assert.equal((result as { ok: boolean }).ok, true);
    });
  }

  it('answers a node with the version it has now', async () => {
    const { result } = await converse([{ body: rawNode }], (server) => lifecyclePorts(server.call).getNode('n 1'));
    assert.deepEqual(result.ok && [result.value.object.name, result.value.object.uid, result.value.resourceVersion], [
      'n 1',
      'nu1',
      '12',
    ]);
  });

  for (const [what, reply, kind] of [
    ['a namesake', status(409, 'the UID in the precondition does not match'), 'conflict'],
    ['a pod that is gone', status(404, 'pods "web-1" not found', { name: 'web-1', kind: 'pods' }), 'not-found'],
    ['a path that nobody serves', status(404, 'the server could not find the requested resource', {}), 'transient'],
    ['a page of a proxy', { status: 404, body: '<html>404 page not found</html>' }, 'transient'],
    ['a failure under a 200', { body: { kind: 'Status', status: 'Failure', code: 403, message: 'no' } }, 'forbidden'],
    ['an answer that is no pod', { body: { kind: 'Status' } }, 'transient'],
    ['an answer that is no JSON', { body: '<html>' }, 'transient'],
  ] as const) {
    it(`answers ${kind} for ${what}`, async () => {
      const { result } = await converse([reply], (server) => lifecyclePorts(server.call).getPod('shop', 'web-1'));
      assert.equal(result.ok ? 'ok' : result.failure.kind, kind);
    });
  }

  for (const [what, call] of [
    ['a pod', (ports) => ports.deletePod(pod)],
    ['an eviction', (ports) => ports.evictPod(pod)],
    ['a taint', (ports) => ports.patchNode({ node, resourceVersion: '11', change: { taints: [taint] } })],
    ['a Lease', (ports) => ports.getLease('n 1')],
  ] as readonly (readonly [string, (ports: LifecyclePorts) => Promise<{ ok: boolean }>])[]) {
    it(`does not take a 404 that names nothing for the end of ${what}`, async () => {
      const { result } = await converse([{ status: 404, body: 'no' }], (server) => call(lifecyclePorts(server.call)));
      const failure = 'failure' in result ? (result.failure as { kind: string; message: string }) : undefined;
      assert.equal(failure?.kind, 'transient');
      assert.match(failure.message, /is not served at this address: HTTP 404: no$/u);
    });
  }
});
