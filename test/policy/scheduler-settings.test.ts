import assert from 'node:assert/strict';
import { formatFindings } from '../../src/findings/format.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import type { Scoring } from '../../src/placement/fit.ts';
import { removePodsViolatingNodeTaints } from '../../src/strategies/remove-pods-violating-node-taints.ts';
import { removePodsViolatingTopologySpreadConstraint } from '../../src/strategies/topology-spread/remove-pods-violating-topology-spread-constraint.ts';
import { labels, node, on, pod, snapshot, taint } from '../builders/cluster.ts';
import { runStrategy } from '../strategies/run-strategy.ts';

const TEXT = `apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles: []
scheduler:
  addedAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions: [{ key: disk, operator: In, values: [ssd] }]
  defaultConstraints:
    - { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule }
  ignoredResources: [example.com/foo]
`;

describe("the scheduler's own configuration in a policy", () => {
  it('is read with the keys of KubeSchedulerConfiguration', () => {
    const loaded = loadPolicy(TEXT);
    assert.ok(loaded.ok);
    assert.deepEqual(loaded.policy.scheduler, {
      addedAffinity: {
        required: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }], matchFields: [] }],
        preferred: [],
      },
      defaultConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: undefined,
          matchLabelKeys: [],
          minDomains: undefined,
          nodeAffinityPolicy: 'Honor',
          nodeTaintsPolicy: 'Ignore',
        },
      ],
      ignoredResources: ['example.com/foo'],
    });
  });

  it('what is wrong in it is a finding with its place', () => {
    const text = TEXT.replace('maxSkew: 1', 'maxSkew: 0').replace('ignoredResources', 'ignoredResource');
    const loaded = loadPolicy(text);
    assert.ok(!loaded.ok);
    const shown = formatFindings(loaded.findings, { file: 'p.yaml', text });
    assert.match(shown, /p\.yaml:10:\d+/u);
    assert.match(shown, /p\.yaml:11:\d+[\s\S]*ignoredResources/u);
  });

  describe('scoringStrategy', () => {
    const load = (text: string) =>
      loadPolicy(`${TEXT.replace(/scheduler:[\s\S]*/u, '')}scheduler:\n  scoringStrategy: ${text}\n`);
    const BOTH = [
      { name: 'cpu', weight: 1 },
      { name: 'memory', weight: 1 },
    ];
    const rows: readonly [text: string, scoring: Scoring][] = [
      ['{}', { type: 'LeastAllocated', resources: BOTH }],
      ['{ type: MostAllocated }', { type: 'MostAllocated', resources: BOTH }],
      [
        '{ type: MostAllocated, resources: [{ name: cpu, weight: 3 }, { name: example.com/gpu }] }',
        {
          type: 'MostAllocated',
          resources: [
            { name: 'cpu', weight: 3 },
            { name: 'example.com/gpu', weight: 1 },
          ],
        },
      ],
      [
        '{ type: RequestedToCapacityRatio, requestedToCapacityRatio: { shape: [{ utilization: 0, score: 0 }, { utilization: 100, score: 10 }] } }',
        {
          ...{ type: 'RequestedToCapacityRatio', resources: BOTH },
          shape: [
            { utilization: 0, score: 0 },
            { utilization: 100, score: 10 },
          ],
        },
      ],
    ];
    for (const [text, scoring] of rows) {
      it(text, () => {
        const loaded = load(text);
        assert.ok(loaded.ok);
        assert.deepEqual(loaded.policy.scheduler?.scoringStrategy, scoring);
      });
    }

    const refused: readonly [text: string, message: RegExp][] = [
      ['{ type: Most }', /LeastAllocated/u],
      ['{ resources: [] }', /resources/u],
      ['{ resources: [{ name: cpu, weight: 0 }] }', /weight/u],
      ['{ resources: [{ name: cpu, weight: 101 }] }', /weight/u],
      ['{ type: RequestedToCapacityRatio }', /needs its shape/u],
      [
        '{ requestedToCapacityRatio: { shape: [{ utilization: 0, score: 0 }] } }',
        /belongs to the type RequestedToCapacityRatio/u,
      ],
      [
        '{ type: RequestedToCapacityRatio, requestedToCapacityRatio: { shape: [{ utilization: 5, score: 0 }, { utilization: 5, score: 1 }] } }',
        /must rise/u,
      ],
    ];
    for (const [text, message] of refused) {
      it(`refuses ${text}`, () => {
        const loaded = load(text);
        assert.ok(!loaded.ok);
        assert.match(formatFindings(loaded.findings, { file: 'p.yaml', text: '' }), message);
      });
    }
  });

  it('added affinity decides where a pod fits', async () => {
    const cluster = snapshot(
      node('n1', taint('dedicated:NoSchedule'), pod('p1')),
      node('n2', labels({ disk: 'hdd' })),
      node('n3', labels({ disk: 'ssd' }), taint('dedicated:NoSchedule')),
    );
    const loaded = loadPolicy(TEXT);
    assert.ok(loaded.ok && loaded.policy.scheduler);
    const plain = await runStrategy(removePodsViolatingNodeTaints, cluster, { evictor: { nodeFit: true } });
    assert.deepEqual(plain.evicted, ['p1']);
    const { scheduler } = loaded.policy;
    const added = await runStrategy(removePodsViolatingNodeTaints, cluster, { evictor: { nodeFit: true }, scheduler });
    assert.deepEqual(added.evicted, []);
    assert.match(added.refusals[0] ?? '', /nodeFit.*added-affinity/u);
  });

  it('default constraints are evened out for pods without any of their own', async () => {
    const web = labels({ app: 'web' });
    const cluster = snapshot(
      node('n1', labels({ zone: 'a' })),
      node('n2', labels({ zone: 'b' })),
      ...['p1', 'p2', 'p3'].map((name) => pod(name, web, on('n1'))),
      {
        kind: 'Service',
        name: 'web',
        namespace: 'default',
        uid: 'web',
        labels: {},
        selector: { app: 'web' },
      },
    );
    const loaded = loadPolicy(TEXT);
    assert.ok(loaded.ok && loaded.policy.scheduler?.defaultConstraints);
    const { defaultConstraints } = loaded.policy.scheduler;
    const without = await runStrategy(removePodsViolatingTopologySpreadConstraint, cluster);
    assert.deepEqual(without.evicted, []);
    const scheduler = { defaultConstraints };
    const plan = await runStrategy(removePodsViolatingTopologySpreadConstraint, cluster, { scheduler });
    assert.deepEqual(plan.evicted, ['p1']);
  });
});
