import assert from 'node:assert/strict';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { runCycle } from '../../src/descheduler/cycle.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { explainNode } from '../../src/explain/node.ts';
import { explainPod, type Grounds } from '../../src/explain/pod.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { renderExplanation } from '../../src/report/explanation.ts';
import {
  allocatable,
  annotations,
  budget,
  cordoned,
  labels,
  node,
  noOwner,
  on,
  pod,
  requests,
  snapshot,
  spec,
  taint,
  tolerates,
} from '../builders/cluster.ts';

const NOW = '2026-01-02T00:00:00Z';

const POLICY = `
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: main
  pluginConfig:
  - {name: DefaultEvictor, args: {nodeFit: true}}
  plugins:
    deschedule: {enabled: [RemovePodsViolatingNodeTaints]}
    balance: {enabled: [RemoveDuplicates]}
`;

const room = allocatable({ cpu: '4', memory: '8Gi', pods: '10' });
const cluster = snapshot(
  node('n1', room, taint('dedicated=gpu:NoSchedule')),
  node('n2', room),
  node('n3', room, cordoned),
  pod('goes', on('n1'), requests({ cpu: '1' })),
  pod('bare', on('n1'), noOwner, requests({ cpu: '500m' })),
  pod('lifted', on('n1'), noOwner, annotations({ 'descheduler.alpha.kubernetes.io/evict': 'true' })),
  pod('guarded', on('n1'), labels({ app: 'guarded' })),
  pod('quiet', on('n2'), tolerates('dedicated=gpu:NoSchedule')),
  pod('afloat'),
  budget('none', 'app=guarded', { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 }),
);

describe('explain pod', () => {
  it('a pod that goes: by which strategy and why, what every constraint and node says', async () => {
    const it = explainPod(named('goes'), await grounds());
    assert.deepEqual(it.strategies, [
      {
        profile: 'main',
        strategy: 'RemovePodsViolatingNodeTaints',
        answer: 'evict',
        reason: 'does not tolerate dedicated=gpu:NoSchedule on n1',
      },
      { profile: 'main', strategy: 'RemoveDuplicates', answer: 'pass' },
    ]);
    assert.deepEqual(
      it.constraints.filter(({ answer }) => answer !== 'allow'),
      [],
    );
    assert.deepEqual(
      it.nodes.map(({ node: name, own, fits, misfits }) => [name, own, fits, misfits.map(({ code }) => code)]),
      [
        ['n1', true, false, ['taint']],
        ['n2', false, true, []],
        ['n3', false, false, ['cordon']],
      ],
    );
    assert.deepEqual(it.likelyNodes, ['n2']);
  });

  it('a pod that a constraint keeps: the strategy asks, the constraint refuses, both say why', async () => {
    const it = explainPod(named('bare'), await grounds());
    assert.deepEqual(
      it.strategies.map(({ strategy, answer, by }) => [strategy, answer, by]),
      [
        ['RemovePodsViolatingNodeTaints', 'refuse', 'FailedBarePods'],
        ['RemoveDuplicates', 'pass', undefined],
      ],
    );
    const refusing = it.constraints.filter(({ answer }) => answer === 'refuse');
    assert.deepEqual(
      refusing.map(({ name }) => name),
      ['FailedBarePods'],
    );
    assert.match(refusing[0]?.reason ?? '', /bare/u);
  });

  it('the evict annotation lifts a constraint, and the answer says so', async () => {
    const it = explainPod(named('lifted'), await grounds());
    assert.equal(it.constraints.find(({ name }) => name === 'FailedBarePods')?.answer, 'lifted');
    assert.equal(it.strategies[0]?.answer, 'evict');
  });

  it('a budget without room is one of the answers', async () => {
    const it = explainPod(named('guarded'), await grounds());
    assert.deepEqual(
      it.constraints.filter(({ answer }) => answer === 'refuse').map(({ name }) => name),
      ['PodDisruptionBudget'],
    );
  });

  it('NoExecute taints: since when, for how long and when the pod goes; the readiness taints even if absent', async () => {
    const tolerations = [
      { key: 'slow', operator: 'Exists', value: '', effect: 'NoExecute', tolerationSeconds: 600 },
      {
        key: 'node.kubernetes.io/unreachable',
        operator: 'Exists',
        value: '',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      },
      {
        key: 'node.kubernetes.io/not-ready',
        operator: 'Exists',
        value: '',
        effect: 'NoExecute',
        tolerationSeconds: undefined,
      },
    ];
    const added = { key: 'slow', value: '', effect: 'NoExecute', timeAdded: '2026-01-01T23:55:00Z' };
    const tainted = snapshot(
      node('n1', room, (before) => ({ ...before, taints: [added] })),
      node('n2', room),
      pod('p', on('n1'), spec({ tolerations })),
    );
    const it = explainPod(tainted.pods[0] ?? assert.fail(), await grounds(tainted));
    assert.deepEqual(it.taints, [
      { taint: 'slow:NoExecute', present: true, tolerated: 'for 10m0s', goes: '2026-01-02T00:05:00Z' },
      { taint: 'node.kubernetes.io/not-ready:NoExecute', present: false, tolerated: 'forever', goes: 'never' },
      {
        taint: 'node.kubernetes.io/unreachable:NoExecute',
        present: false,
        tolerated: 'for 5m0s',
        goes: '5m0s after it appears',
      },
    ]);
  });

  it('a pod without a node is not looked at, and the notes say so', async () => {
    const it = explainPod(named('afloat'), await grounds());
    assert.deepEqual(it.notes, ['default/afloat is not bound to a node: no strategy looks at it']);
  });

  it('the table needs no more than 80 columns, names the setting, and carries no colours unless asked', async () => {
    const text = renderExplanation(explainPod(named('bare'), await grounds()), { width: 80, colors: false });
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 80),
      [],
    );
    assert.match(text, /^Kept: RemovePodsViolatingNodeTaints selects it, FailedBarePods keeps it/mu);
    assert.match(text, /setting: give the pod an owner/u);
    assert.doesNotMatch(text, /\u001b/u);
    const colored = renderExplanation(explainPod(named('bare'), await grounds()), { width: 80, colors: true });
    assert.match(colored, /\u001b\[/u);
  });
});

describe('explain node', () => {
  it('how full it is and what is decided about each of its pods', async () => {
    const it = explainNode(cluster.node('n1') ?? assert.fail(), await grounds());
    assert.equal(it.looked, 'yes');
    assert.deepEqual(it.load[0], { resource: 'cpu', used: '1500m', allocatable: '4', percent: 37.5 });
    assert.deepEqual(it.load.find(({ resource }) => resource === 'pods')?.percent, 40);
    assert.deepEqual(
      it.pods.map(({ pod: name, answer, by }) => [name, answer, by]),
      [
        ['bare', 'refuse', 'FailedBarePods'],
        ['goes', 'evict', 'RemovePodsViolatingNodeTaints'],
        ['guarded', 'refuse', 'PodDisruptionBudget'],
        ['lifted', 'evict', 'RemovePodsViolatingNodeTaints'],
      ],
    );
    const text = renderExplanation(it, { width: 80, colors: false });
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 80),
      [],
    );
  });
});

function named(name: string) {
  return cluster.pods.find((it) => it.name === name) ?? assert.fail(name);
}

/** The policy run on the cluster, as the command line runs it. */
async function grounds(of: Snapshot = cluster): Promise<Grounds> {
  const loaded = loadPolicy(POLICY);
  assert.ok(loaded.ok);
  const source = { kind: 'dump', name: 'test', now: NOW, nowFrom: 'flag' } as const;
  const ports = {
    cluster: () => Promise.resolve({ snapshot: of, source, warnings: [] }),
    usage: recordedUsage,
    evict: dryRunEvict,
    observe: () => undefined,
    clock: new VirtualClock(Date.parse(NOW)),
  };
  const report = await runCycle(loaded.policy, ports, { dryRun: true, signal: new AbortController().signal });
  return { policy: loaded.policy, snapshot: of, report };
}
