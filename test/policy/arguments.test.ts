import assert from 'node:assert/strict';
import { argumentFindings, checkedArgs } from './policy-text.ts';

type Row = readonly [title: string, args: object, expected: readonly string[] | 'ok'];

const both = { include: ['a'], exclude: ['b'] };
const bothLists = 'include and exclude cannot both have entries';
const badSelector = { matchExpressions: [{ key: 'foo', operator: 'Near', values: ['bar'] }] };
const goodSelector = { matchLabels: { 'role.kubernetes.io/node': '' } };
const foo = 'example.com/foo';

function rows(plugin: string, table: readonly Row[]): void {
  describe(plugin, () => {
    for (const [title, args, expected] of table) {
      it(title, () => assert.deepEqual(argumentFindings(plugin, args), expected));
    }
  });
}

/** Default rows: what the strategy gets. */
function defaults(plugin: string, table: readonly (readonly [title: string, args: object, expected: object])[]): void {
  describe(`${plugin}, defaults`, () => {
    for (const [title, args, expected] of table) {
      it(title, () => assert.deepEqual(checkedArgs(plugin, args), expected));
    }
  });
}

/** How a bad selector is reported is the cluster's affair; here it matters where: at the faulty requirement. */
function refusesSelector(title: string, plugin: string, args: object = {}): void {
  it(title, () => {
    const findings = argumentFindings(plugin, { ...args, labelSelector: badSelector });
    assert.ok(findings !== 'ok');
    assert.deepEqual(
      findings.map((line) => line.split(':')[0]),
      ['labelSelector.matchExpressions[0].operator'],
    );
  });
}

describe('arguments of the strategies', () => {
  rows('RemoveDuplicates', [
    ['RD-V1 kinds and included namespaces', { excludeOwnerKinds: ['Job'], namespaces: { include: ['default'] } }, 'ok'],
    ['both namespace lists', { namespaces: both }, [`namespaces: ${bothLists}`]],
    ['an empty list is no list', { namespaces: { include: [], exclude: ['a'] } }, 'ok'],
    ['no labelSelector', { labelSelector: {} }, ['labelSelector: unknown key']],
  ]);
  defaults('RemoveDuplicates', [
    ['RD-D1 nothing', {}, {}],
    [
      'RD-D2 given values stay',
      { namespaces: {}, excludeOwnerKinds: ['ReplicaSet'] },
      { namespaces: {}, excludeOwnerKinds: ['ReplicaSet'] },
    ],
  ]);

  const low = { cpu: 20, memory: 20 };
  const high = { cpu: 80, memory: 80 };
  const different = 'thresholds and targetThresholds must name the same resources';
  const lowFoo = { thresholds: { ...low, [foo]: 20 }, targetThresholds: { ...high, [foo]: 80 } };
  rows('LowNodeUtilization', [
    [
      'LV-1 memory 120',
      { thresholds: { cpu: 20, memory: 120 }, targetThresholds: high },
      ['thresholds.memory: expected a number from 0 to 100, got 120'],
    ],
    [
      'LV-2 one more resource in the targets',
      { thresholds: low, targetThresholds: { ...high, pods: 80 } },
      [`targetThresholds: ${different}: pods only in targetThresholds`],
    ],
    [
      'LV-4 target of cpu below its threshold',
      { thresholds: { cpu: 90, memory: 20 }, targetThresholds: high },
      ['targetThresholds.cpu: the target of cpu (80) is below its threshold (90)'],
    ],
    [
      'LV-5 extended resource only in thresholds',
      { thresholds: { ...low, [foo]: 20 }, targetThresholds: high },
      [`targetThresholds: ${different}: ${foo} only in thresholds`],
    ],
    [
      'LV-6 extended resource only in the targets',
      { thresholds: low, targetThresholds: { ...high, [foo]: 80 } },
      [`targetThresholds: ${different}: ${foo} only in targetThresholds`],
    ],
    [
      'LV-7 one in each',
      { thresholds: { ...low, [foo]: 20 }, targetThresholds: { ...high, 'example.com/bar': 80 } },
      [`targetThresholds: ${different}: ${foo} only in thresholds; example.com/bar only in targetThresholds`],
    ],
    [
      'different resources, and a common one with its target below the threshold',
      { thresholds: { cpu: 60, memory: 20 }, targetThresholds: { cpu: 50, pods: 50 } },
      [
        'targetThresholds: thresholds and targetThresholds must name the same resources: memory only in thresholds; pods only in targetThresholds',
        'targetThresholds.cpu: the target of cpu (50) is below its threshold (60)',
      ],
    ],
    ['LV-9 plain', { thresholds: low, targetThresholds: high }, 'ok'],
    ['LV-10 with an extended resource', lowFoo, 'ok'],
    [
      'LV-11 metricsServer and KubernetesMetrics',
      { ...lowFoo, metricsUtilization: { metricsServer: true, source: 'KubernetesMetrics' } },
      [
        'metricsUtilization.metricsServer: metricsServer is the old name of source: KubernetesMetrics; only one of them may be set',
      ],
    ],
    [
      'LV-12 Prometheus without a query',
      { ...lowFoo, metricsUtilization: { source: 'Prometheus' } },
      [
        'thresholds: with source: Prometheus both maps must name exactly MetricResource',
        'metricsUtilization.prometheus: source: Prometheus needs prometheus.query',
      ],
    ],
    [
      'LV-13 KubernetesMetrics with an empty prometheus block',
      { ...lowFoo, metricsUtilization: { source: 'KubernetesMetrics', prometheus: {} } },
      ['metricsUtilization.prometheus: a prometheus block needs source: Prometheus'],
    ],
    [
      'thresholds missing',
      {},
      [
        'targetThresholds: "targetThresholds" is required: a map of keys',
        'thresholds: "thresholds" is required: a map of keys',
      ],
    ],
    [
      'thresholds empty',
      { thresholds: {}, targetThresholds: {} },
      [
        'thresholds: at least one resource needs a percentage',
        'targetThresholds: at least one resource needs a percentage',
      ],
    ],
    [
      'included namespaces',
      { ...lowFoo, evictableNamespaces: { include: ['a'] } },
      ['evictableNamespaces.include: only exclude is possible here: usage is counted over all namespaces'],
    ],
    [
      'deviation thresholds may be the other way round',
      { useDeviationThresholds: true, thresholds: { cpu: 20 }, targetThresholds: { cpu: 10 } },
      'ok',
    ],
    [
      'Prometheus knows one resource only',
      { ...lowFoo, metricsUtilization: { source: 'Prometheus', prometheus: { query: 'up' } } },
      ['thresholds: with source: Prometheus both maps must name exactly MetricResource'],
    ],
    [
      'a negative limit',
      { ...lowFoo, evictionLimits: { node: -1 } },
      ['evictionLimits.node: expected a whole number ≥ 0, got -1'],
    ],
    [
      'no source',
      { ...lowFoo, metricsUtilization: {} },
      [
        'metricsUtilization.source: metricsUtilization names no source: write KubernetesMetrics or Prometheus, or leave it out',
      ],
    ],
    ['metricsServer off', { ...lowFoo, metricsUtilization: { metricsServer: false } }, 'ok'],
    [
      'an unknown source',
      { ...lowFoo, metricsUtilization: { source: 'Prometeus' } },
      ['metricsUtilization.source: expected one of KubernetesMetrics, Prometheus, got the text "Prometeus"'],
    ],
  ]);
  defaults('LowNodeUtilization', [
    [
      'the smallest arguments',
      { thresholds: low, targetThresholds: high },
      { useDeviationThresholds: false, thresholds: low, targetThresholds: high, numberOfNodes: 0 },
    ],
    [
      'metricsServer becomes a source',
      { thresholds: low, targetThresholds: high, metricsUtilization: { metricsServer: true } },
      {
        useDeviationThresholds: false,
        thresholds: low,
        targetThresholds: high,
        numberOfNodes: 0,
        metricsUtilization: { source: 'KubernetesMetrics', query: undefined },
      },
    ],
  ]);
  const unvalidated = { useDeviationThresholds: true, thresholds: { cpu: 20, memory: 120 }, targetThresholds: high };
  rows('LowNodeUtilization', [
    [
      'LD-1 reference: an empty set stays as it is; ours: checked before it is defaulted',
      {},
      [
        'targetThresholds: "targetThresholds" is required: a map of keys',
        'thresholds: "thresholds" is required: a map of keys',
      ],
    ],
    [
      'LD-2 reference: defaulting leaves memory 120 alone; ours: checked before it is defaulted',
      { ...unvalidated, numberOfNodes: 10 },
      ['thresholds.memory: expected a number from 0 to 100, got 120'],
    ],
  ]);

  const mode = { evictionModes: ['OnlyThresholdingResources'] };
  rows('HighNodeUtilization', [
    ['HV-1 two resources and the mode', { thresholds: { cpu: 80, memory: 90 }, ...mode }, 'ok'],
    ['HV-2 an extended resource', { thresholds: { cpu: 85, [foo]: 95 }, ...mode }, 'ok'],
    ['HV-3 none configured', { thresholds: {} }, ['thresholds: at least one resource needs a percentage']],
    ['HV-4 cpu -1', { thresholds: { cpu: -1 } }, ['thresholds.cpu: expected a number from 0 to 100, got -1']],
    [
      'HV-5 memory 101',
      { thresholds: { memory: 101 } },
      ['thresholds.memory: expected a number from 0 to 100, got 101'],
    ],
    [
      'HV-6 cpu 50, memory 150',
      { thresholds: { cpu: 50, memory: 150 } },
      ['thresholds.memory: expected a number from 0 to 100, got 150'],
    ],
    ['HV-7 excluded namespaces', { thresholds: { cpu: 80 }, evictableNamespaces: { exclude: ['ns1', 'ns2'] } }, 'ok'],
    ['HV-9 modes unset', { thresholds: { cpu: 80 } }, 'ok'],
    ['HV-10 modes empty', { thresholds: { cpu: 80 }, evictionModes: [] }, 'ok'],
    [
      'an unknown mode',
      { thresholds: { cpu: 80 }, evictionModes: ['OnlyThresholdResources'] },
      ['evictionModes[0]: expected one of OnlyThresholdingResources, got the text "OnlyThresholdResources"'],
    ],
    [
      'HD-1 reference: stays empty; ours: checked before it is defaulted',
      {},
      ['thresholds: "thresholds" is required: a map of keys'],
    ],
    [
      'HD-2 reference: memory 120 stays; ours: checked before it is defaulted',
      { thresholds: { cpu: 20, memory: 120 }, numberOfNodes: 10 },
      ['thresholds.memory: expected a number from 0 to 100, got 120'],
    ],
  ]);

  rows('RemovePodsViolatingInterPodAntiAffinity', [
    ['AA-V1 included namespaces', { namespaces: { include: ['default'] } }, 'ok'],
    ['AA-V2 both lists', { namespaces: both }, [`namespaces: ${bothLists}`]],
    ['AA-V3 a label with a prefix', { labelSelector: goodSelector }, 'ok'],
  ]);
  it('AA-V4 an expression without key and values has two findings', () => {
    const labelSelector = { matchExpressions: [{ operator: 'In' }] };
    const findings = argumentFindings('RemovePodsViolatingInterPodAntiAffinity', { labelSelector });
    assert.equal(findings.length, 2);
    assert.match(findings[0] ?? '', /^labelSelector\.matchExpressions\[0\]\.key: key ""/);
    assert.match(findings[1] ?? '', /^labelSelector\.matchExpressions\[0\]\.values: .*needs at least one value/);
  });
  const emptySelector = { namespaces: {}, labelSelector: { matchLabels: {}, matchExpressions: [] } };
  defaults('RemovePodsViolatingInterPodAntiAffinity', [
    ['AA-D1 nothing', {}, {}],
    ['AA-D2 empty values stay', { namespaces: {}, labelSelector: {} }, emptySelector],
  ]);

  const required = ['requiredDuringSchedulingIgnoredDuringExecution'];
  const oneType =
    'nodeAffinityType: at least one type is needed: requiredDuringSchedulingIgnoredDuringExecution or preferred…';
  rows('RemovePodsViolatingNodeAffinity', [
    ['NA-V1 type unset', {}, ['nodeAffinityType: "nodeAffinityType" is required: a list']],
    ['NA-V2 no type', { nodeAffinityType: [] }, [oneType]],
    ['NA-V3 required', { nodeAffinityType: required }, 'ok'],
    ['NA-V4 both namespace lists', { nodeAffinityType: required, namespaces: both }, [`namespaces: ${bothLists}`]],
    ['NA-V5 two findings', { nodeAffinityType: [], namespaces: both }, [oneType, `namespaces: ${bothLists}`]],
  ]);
  rows('RemovePodsViolatingNodeAffinity', [
    [
      'NA-D1 reference: stays empty; ours: checked first',
      {},
      ['nodeAffinityType: "nodeAffinityType" is required: a list'],
    ],
  ]);
  defaults('RemovePodsViolatingNodeAffinity', [
    [
      'NA-D2 empty values stay',
      { nodeAffinityType: required, namespaces: {}, labelSelector: {} },
      { nodeAffinityType: required, ...emptySelector },
    ],
  ]);

  rows('RemovePodsViolatingNodeTaints', [
    ['NT-V1 included namespaces', { namespaces: { include: ['default'] } }, 'ok'],
    ['NT-V2 both namespace lists', { namespaces: both }, [`namespaces: ${bothLists}`]],
    ['NT-V3 a selector', { labelSelector: goodSelector }, 'ok'],
    ['NT-V5 excluded taints', { excludedTaints: ['k1=v1'] }, 'ok'],
    [
      'both taint lists',
      { excludedTaints: ['k1'], includedTaints: ['k2'] },
      ['includedTaints: includedTaints and excludedTaints cannot both have entries'],
    ],
  ]);
  refusesSelector('NT-V4 a bad selector', 'RemovePodsViolatingNodeTaints');
  defaults('RemovePodsViolatingNodeTaints', [
    ['NT-D1 nothing', {}, { includePreferNoSchedule: false }],
    [
      'NT-D2 given values stay',
      { namespaces: {}, labelSelector: {}, excludedTaints: ['a'] },
      { ...emptySelector, includePreferNoSchedule: false, excludedTaints: ['a'] },
    ],
  ]);

  const hard = { constraints: ['DoNotSchedule'], topologyBalanceNodeFit: true };
  const kinds = ['DoNotSchedule', 'ScheduleAnyway'];
  rows('RemovePodsViolatingTopologySpreadConstraint', [
    ['TS-V1 included namespaces', { namespaces: { include: ['default'] } }, 'ok'],
    ['TS-V2 both namespace lists', { namespaces: both }, [`namespaces: ${bothLists}`]],
    ['TS-V3 a selector', { labelSelector: goodSelector }, 'ok'],
    ['TS-V5 both kinds', { constraints: kinds }, 'ok'],
    [
      'TS-V6 another kind',
      { constraints: ['foo'] },
      ['constraints[0]: expected one of DoNotSchedule, ScheduleAnyway, got the text "foo"'],
    ],
  ]);
  refusesSelector('TS-V4 a bad selector', 'RemovePodsViolatingTopologySpreadConstraint');
  defaults('RemovePodsViolatingTopologySpreadConstraint', [
    ['TS-D1 nothing', {}, hard],
    ['TS-D2 both kinds stay', { constraints: kinds }, { constraints: kinds, topologyBalanceNodeFit: true }],
    ['TS-D3 an empty list', { constraints: [] }, hard],
    ['TS-D4 the flag stays off', { topologyBalanceNodeFit: false }, { ...hard, topologyBalanceNodeFit: false }],
    ['TS-D5 constraints unset', { constraints: undefined }, hard],
  ]);

  const oneOfStates = 'states[0]: expected one of Running, CrashLoopBackOff, got the text "Failed"';
  rows('RemovePodsHavingTooManyRestarts', [
    ['TR-V1 threshold 1, Running', { podRestartThreshold: 1, states: ['Running'] }, 'ok'],
    ['TR-V2 threshold 0', { podRestartThreshold: 0 }, ['podRestartThreshold: expected a whole number ≥ 1, got 0']],
    ['TR-V3 state Failed', { podRestartThreshold: 1, states: ['Failed'] }, [oneOfStates]],
    ['TR-V4 CrashLoopBackOff', { podRestartThreshold: 1, states: ['CrashLoopBackOff'] }, 'ok'],
    [
      'TR-V5 both wrong',
      { podRestartThreshold: 0, states: ['Failed'] },
      ['podRestartThreshold: expected a whole number ≥ 1, got 0', oneOfStates],
    ],
    [
      'TR-D1 reference: stays empty; ours: checked first',
      {},
      ['podRestartThreshold: "podRestartThreshold" is required: a whole number ≥ 1'],
    ],
  ]);
  defaults('RemovePodsHavingTooManyRestarts', [
    [
      'TR-D2 given values stay',
      { podRestartThreshold: 10, includingInitContainers: true, states: ['Running'], ...emptySelector },
      { podRestartThreshold: 10, includingInitContainers: true, states: ['Running'], ...emptySelector },
    ],
  ]);

  const max = { maxPodLifeTimeSeconds: 600 };
  const completed = { reason: 'PodCompleted', status: 'True' };
  const oneCriterion = 'at least one of maxPodLifeTimeSeconds, states, conditions, exitCodes is needed';
  const noState = (text: string) => new RegExp(`^states\\[0\\]: expected one of Running, .*, got the text "${text}"$`);
  rows('PodLifeTime', [
    ['PL-W1 states', { states: ['Pending'] }, 'ok'],
    ['PL-W2 conditions', { conditions: [completed] }, 'ok'],
    ['PL-W3 age', max, 'ok'],
    ['PL-W4 states and age', { ...max, states: ['Pending'] }, 'ok'],
    ['PL-W5 states and conditions', { states: ['Succeeded'], conditions: [completed] }, 'ok'],
    ['PL-W6 exit codes', { exitCodes: [1] }, 'ok'],
    ['PL-W7 a condition with a time', { conditions: [{ ...completed, minTimeSinceLastTransitionSeconds: 300 }] }, 'ok'],
    ['PL-W8 a condition of a time only', { conditions: [{ minTimeSinceLastTransitionSeconds: 300 }] }, 'ok'],
    ['PL-W9 nothing', {}, [oneCriterion]],
    ['PL-W10 both namespace lists', { ...max, namespaces: both }, [`namespaces: ${bothLists}`]],
    ['PL-W11 both lists of owner kinds', { ...max, ownerKinds: both }, [`ownerKinds: ${bothLists}`]],
    [
      'PL-W13 an empty condition',
      { conditions: [{}] },
      ['conditions[0]: a condition needs one of type, status, reason, minTimeSinceLastTransitionSeconds'],
    ],
    ['PL-V1 age and Running', { maxPodLifeTimeSeconds: 1, states: ['Running'] }, 'ok'],
    ['PL-V2 age and finished states', { maxPodLifeTimeSeconds: 1, states: ['Succeeded', 'Failed'] }, 'ok'],
    ['PL-V3 age and CrashLoopBackOff', { maxPodLifeTimeSeconds: 1, states: ['CrashLoopBackOff'] }, 'ok'],
    ['PL-V4 nothing', {}, [oneCriterion]],
    ['PL-D1 reference: stays empty; ours: checked first', {}, [oneCriterion]],
  ]);
  for (const [title, args] of [
    ['PL-W12 an unknown state', { states: ['Foo'] }],
    ['PL-V5 age and an unknown state', { maxPodLifeTimeSeconds: 1, states: ['Foo'] }],
    ['PL-V6 an unknown state is the only finding', { states: ['Foo'] }],
  ] as const) {
    it(title, () => {
      const findings = argumentFindings('PodLifeTime', args);
      assert.equal(findings.length, 1);
      assert.match(findings[0] ?? '', noState('Foo'));
    });
  }
  defaults('PodLifeTime', [
    [
      'PL-D2 given values stay',
      { ...max, states: ['Pending'], labelSelector: {} },
      {
        ...max,
        states: ['Pending'],
        labelSelector: { matchLabels: {}, matchExpressions: [] },
        includingInitContainers: false,
        includingEphemeralContainers: false,
      },
    ],
  ]);

  const failed = { excludeOwnerKinds: ['Job'], reasons: ['NodeAffinity'], minPodLifetimeSeconds: 60 };
  rows('RemoveFailedPods', [
    ['RF-V1 everything', { ...failed, namespaces: { include: ['default'] } }, 'ok'],
    ['RF-V2 both namespace lists', { namespaces: both }, [`namespaces: ${bothLists}`]],
    ['RF-V3 a selector', { labelSelector: goodSelector }, 'ok'],
    [
      'exit codes of 32 bits',
      { exitCodes: [1.5, 2 ** 40] },
      ['exitCodes[0]: expected a whole number, got 1.5', 'exitCodes[1]: expected a whole number, got 1099511627776'],
    ],
  ]);
  refusesSelector('RF-V4 a bad selector', 'RemoveFailedPods');
  defaults('RemoveFailedPods', [
    [
      'RF-D1 reference: the plugin alone leaves the age unset, its loader sets 3600; ours: 3600',
      {},
      { minPodLifetimeSeconds: 3600, includingInitContainers: false },
    ],
    [
      'RF-D2 given values stay',
      { ...failed, includingInitContainers: true },
      { ...failed, includingInitContainers: true },
    ],
  ]);
});
