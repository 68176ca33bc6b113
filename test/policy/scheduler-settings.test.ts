import assert from 'node:assert/strict';
import { formatFindings } from '../../src/findings/format.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { removePodsViolatingNodeTaints } from '../../src/strategies/remove-pods-violating-node-taints.ts';
import { removePodsViolatingTopologySpreadConstraint } from '../../src/strategies/remove-pods-violating-topology-spread-constraint.ts';
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
