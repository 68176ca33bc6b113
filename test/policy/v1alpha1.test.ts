import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { UNCONFIGURED_EVICTOR } from '../../src/evictor/constraints/args.ts';
import { migratePolicy } from '../../src/policy/migrate.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { found as foundIn, loaded as loadedFrom, outline } from './policy-text.ts';

const found = (fields: object) => foundIn(oldText(fields));
const loaded = (fields: object) => loadedFrom(oldText(fields));

function oldText(fields: object): string {
  return stringify({ apiVersion: 'descheduler/v1alpha1', kind: 'DeschedulerPolicy', ...fields });
}

function strategy(name: string, params?: object): object {
  return { strategies: { [name]: params === undefined ? { enabled: true } : { enabled: true, params } } };
}

/** The one strategy of a policy, as `[point, name, args]`. */
function only(policy: Policy): readonly unknown[] {
  const [profile] = policy.profiles;
  assert.ok(profile);
  const [entry] = [...profile.deschedule, ...profile.balance];
  const point = profile.deschedule.length > 0 ? 'deschedule' : 'balance';
  return entry === undefined ? [] : [point, entry.strategy.name, entry.args];
}

const thresholds = { thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 } };
const both = { include: ['a'], exclude: ['b'] };
const types = ['requiredDuringSchedulingIgnoredDuringExecution'];
const minimal: Readonly<Record<string, object>> = {
  RemoveDuplicates: {},
  LowNodeUtilization: { nodeResourceUtilizationThresholds: thresholds },
  HighNodeUtilization: { nodeResourceUtilizationThresholds: { thresholds: { cpu: 20 } } },
  RemovePodsViolatingInterPodAntiAffinity: {},
  RemovePodsViolatingNodeAffinity: { nodeAffinityType: types },
  RemovePodsViolatingNodeTaints: {},
  RemovePodsHavingTooManyRestarts: { podsHavingTooManyRestarts: { podRestartThreshold: 100 } },
  PodLifeTime: { podLifeTime: { maxPodLifeTimeSeconds: 5 } },
  RemoveFailedPods: {},
};

describe('v1alpha1: conversion', () => {
  it('framework A1 a disabled strategy vanishes', () => {
    const policy = loaded({
      strategies: {
        RemoveDuplicates: { enabled: true, params: { namespaces: { exclude: ['test2'] } } },
        LowNodeUtilization: { enabled: false, params: { nodeResourceUtilizationThresholds: thresholds } },
      },
    });
    assert.deepEqual(policy.profiles.map(outline), [
      {
        name: 'strategy-RemoveDuplicates-profile',
        deschedule: [],
        balance: [{ RemoveDuplicates: { namespaces: { exclude: ['test2'] } } }],
      },
    ]);
  });

  it('framework A2 the five flags go into DefaultEvictor', () => {
    const flags = {
      evictFailedBarePods: true,
      evictLocalStoragePods: true,
      evictSystemCriticalPods: true,
      ignorePvcPods: true,
      evictDaemonSetPods: true,
    };
    const policy = loaded({ ...flags, ...strategy('RemoveFailedPods') });
    assert.deepEqual(policy.profiles[0]?.evictor, {
      ...UNCONFIGURED_EVICTOR,
      protections: new Set(['PodsWithPVC']),
      legacyFlags: true,
    });
  });

  it('framework A3 nine strategies become nine profiles at the right points, by name', () => {
    const strategies = Object.fromEntries(
      Object.entries(minimal).map(([name, params]) => [name, { enabled: true, params }]),
    );
    const policy = loaded({ strategies });
    assert.deepEqual(
      policy.profiles.map(({ name, deschedule, balance }) => [name, deschedule.length, balance.length]),
      [
        ['strategy-HighNodeUtilization-profile', 0, 1],
        ['strategy-LowNodeUtilization-profile', 0, 1],
        ['strategy-PodLifeTime-profile', 1, 0],
        ['strategy-RemoveDuplicates-profile', 0, 1],
        ['strategy-RemoveFailedPods-profile', 1, 0],
        ['strategy-RemovePodsHavingTooManyRestarts-profile', 1, 0],
        ['strategy-RemovePodsViolatingInterPodAntiAffinity-profile', 1, 0],
        ['strategy-RemovePodsViolatingNodeAffinity-profile', 1, 0],
        ['strategy-RemovePodsViolatingNodeTaints-profile', 1, 0],
      ],
    );
  });

  const namespaces = { exclude: ['kube-system'] };
  const labelSelector = { matchLabels: { app: 'web' } };
  const selected = { namespaces, labelSelector: { ...labelSelector, matchExpressions: [] } };
  const common = { namespaces, labelSelector };
  const filled: readonly (readonly [string, object, readonly unknown[]])[] = [
    [
      'RemoveDuplicates',
      { removeDuplicates: { excludeOwnerKinds: ['Job'] }, namespaces },
      ['balance', 'RemoveDuplicates', { excludeOwnerKinds: ['Job'], namespaces }],
    ],
    [
      'LowNodeUtilization',
      {
        nodeResourceUtilizationThresholds: { ...thresholds, numberOfNodes: 3, useDeviationThresholds: true },
        namespaces,
      },
      [
        'balance',
        'LowNodeUtilization',
        { ...thresholds, numberOfNodes: 3, useDeviationThresholds: true, evictableNamespaces: namespaces },
      ],
    ],
    [
      'HighNodeUtilization',
      { nodeResourceUtilizationThresholds: { thresholds: { cpu: 20 }, numberOfNodes: 3 }, namespaces },
      [
        'balance',
        'HighNodeUtilization',
        { thresholds: { cpu: 20 }, numberOfNodes: 3, evictableNamespaces: namespaces },
      ],
    ],
    [
      'RemovePodsViolatingInterPodAntiAffinity',
      common,
      ['deschedule', 'RemovePodsViolatingInterPodAntiAffinity', selected],
    ],
    [
      'RemovePodsViolatingNodeAffinity',
      { nodeAffinityType: types, ...common },
      ['deschedule', 'RemovePodsViolatingNodeAffinity', { nodeAffinityType: types, ...selected }],
    ],
    [
      'RemovePodsViolatingNodeTaints',
      { includePreferNoSchedule: true, excludedTaints: ['a'], ...common },
      [
        'deschedule',
        'RemovePodsViolatingNodeTaints',
        { includePreferNoSchedule: true, excludedTaints: ['a'], ...selected },
      ],
    ],
    [
      'RemovePodsHavingTooManyRestarts',
      { podsHavingTooManyRestarts: { podRestartThreshold: 7, includingInitContainers: true }, ...common },
      [
        'deschedule',
        'RemovePodsHavingTooManyRestarts',
        { podRestartThreshold: 7, includingInitContainers: true, ...selected },
      ],
    ],
    [
      'PodLifeTime',
      {
        podLifeTime: { maxPodLifeTimeSeconds: 5, podStatusPhases: ['Pending'], states: ['PodInitializing'] },
        ...common,
      },
      [
        'deschedule',
        'PodLifeTime',
        {
          maxPodLifeTimeSeconds: 5,
          states: ['Pending', 'PodInitializing'],
          includingInitContainers: false,
          includingEphemeralContainers: false,
          ...selected,
        },
      ],
    ],
    [
      'RemoveFailedPods',
      {
        failedPods: {
          excludeOwnerKinds: ['Job'],
          minPodLifetimeSeconds: 0,
          reasons: ['OOM'],
          includingInitContainers: true,
        },
        ...common,
      },
      [
        'deschedule',
        'RemoveFailedPods',
        {
          excludeOwnerKinds: ['Job'],
          minPodLifetimeSeconds: 0,
          reasons: ['OOM'],
          includingInitContainers: true,
          ...selected,
        },
      ],
    ],
  ];
  for (const [name, params, expected] of filled) {
    it(`framework A4 every parameter of ${name}`, () => {
      const policy = loaded(
        strategy(name, { ...params, thresholdPriority: 7, ...(name === 'PodLifeTime' ? {} : { nodeFit: true }) }),
      );
      assert.deepEqual(only(policy), expected);
      assert.deepEqual(policy.profiles[0]?.evictor, {
        ...UNCONFIGURED_EVICTOR,
        nodeFit: name !== 'PodLifeTime',
        priorityThreshold: { value: 7 },
        legacyFlags: true,
      });
    });
  }

  it('framework A4 reference: includedTaints are lost; ours: kept', () => {
    const policy = loaded(strategy('RemovePodsViolatingNodeTaints', { includedTaints: ['a'] }));
    assert.deepEqual(only(policy), [
      'deschedule',
      'RemovePodsViolatingNodeTaints',
      { includePreferNoSchedule: false, includedTaints: ['a'] },
    ]);
  });

  it('framework A4 top-level settings', () => {
    const policy = loaded({
      nodeSelector: 'a=b',
      maxNoOfPodsToEvictPerNode: 1,
      maxNoOfPodsToEvictPerNamespace: 2,
      ...strategy('RemoveDuplicates'),
    });
    assert.deepEqual(policy.limits, { total: undefined, node: 1, namespace: 2 });
    assert.deepEqual(policy.nodeSelector, [{ key: 'a', operator: 'In', values: ['b'] }]);
  });

  it('framework A7 YAML with PodLifeTime of 5 s; reference: threshold 2000000000, ours: unset means that', () => {
    const policy = loaded(
      strategy('PodLifeTime', { podLifeTime: { maxPodLifeTimeSeconds: 5 }, namespaces: { include: ['test'] } }),
    );
    assert.deepEqual(policy.profiles[0]?.evictor, { ...UNCONFIGURED_EVICTOR, legacyFlags: true });
    assert.deepEqual(only(policy), [
      'deschedule',
      'PodLifeTime',
      {
        maxPodLifeTimeSeconds: 5,
        namespaces: { include: ['test'] },
        includingInitContainers: false,
        includingEphemeralContainers: false,
      },
    ]);
  });

  it('framework A8 a class name goes on as a name; reference: 0 if the class is missing, ours: the cycle fails', () => {
    const policy = loaded(strategy('RemoveDuplicates', { thresholdPriorityClassName: 'gone' }));
    assert.deepEqual(policy.profiles[0]?.evictor.priorityThreshold, { name: 'gone' });
  });

  it('framework A11 soft constraints on and off', () => {
    const constraints = (params: object) => {
      const migrated = migratePolicy(oldText(strategy('RemovePodsViolatingTopologySpreadConstraint', params)));
      assert.ok(migrated.ok);
      return migrated.text.slice(migrated.text.indexOf('constraints'), migrated.text.indexOf('    plugins'));
    };
    const indent = ' '.repeat(10);
    const on = [
      'constraints:',
      `${indent}  - DoNotSchedule`,
      `${indent}  - ScheduleAnyway`,
      `${indent}topologyBalanceNodeFit: true`,
      '',
    ];
    assert.equal(constraints({ includeSoftConstraints: true }), on.join('\n'));
    assert.equal(constraints({}), on.filter((line) => !line.includes('ScheduleAnyway')).join('\n'));
  });

  it('the first spelling of the age, of v0.18, still counts', () => {
    assert.deepEqual(only(loaded(strategy('PodLifeTime', { maxPodLifeTimeSeconds: 5 })))[2], {
      maxPodLifeTimeSeconds: 5,
      includingInitContainers: false,
      includingEphemeralContainers: false,
    });
  });
});

describe('v1alpha1: what is refused, at its place in the old text', () => {
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    [
      'framework A5 an unknown strategy',
      { strategies: { RemoveDuplicate: { enabled: true } } },
      [
        'error unknown-plugin 4 strategies.RemoveDuplicate: no plugin is called "RemoveDuplicate" (did you mean "RemoveDuplicates"?)',
      ],
    ],
    [
      'framework A5 even if it is disabled',
      { strategies: { PodLifetimes: { enabled: false }, RemoveDuplicates: { enabled: true } } },
      [
        'error unknown-plugin 4 strategies.PodLifetimes: no plugin is called "PodLifetimes" (did you mean "PodLifeTime"?)',
      ],
    ],
    [
      'framework A6 both thresholds',
      strategy('RemoveDuplicates', { thresholdPriority: 1, thresholdPriorityClassName: 'a' }),
      [
        'error not-allowed 6 strategies.RemoveDuplicates.params: thresholdPriority and thresholdPriorityClassName cannot both be set',
      ],
    ],
    ...Object.entries(minimal)
      .filter(([name]) => !name.endsWith('NodeUtilization'))
      .map(([name, params]): readonly [string, object, readonly string[]] => [
        `framework A9 both namespace lists: ${name}`,
        strategy(name, { namespaces: both, ...params }),
        [`error not-allowed 7 strategies.${name}.params.namespaces: include and exclude cannot both have entries`],
      ]),
    [
      'framework A10 NodeAffinity without a type',
      strategy('RemovePodsViolatingNodeAffinity', {}),
      [
        'error missing 6 strategies.RemovePodsViolatingNodeAffinity.params.nodeAffinityType: "nodeAffinityType" is required: a list',
      ],
    ],
    [
      'framework A10 restarts of 0',
      strategy('RemovePodsHavingTooManyRestarts', { podsHavingTooManyRestarts: { podRestartThreshold: 0 } }),
      [
        'error out-of-range 8 strategies.RemovePodsHavingTooManyRestarts.params.podsHavingTooManyRestarts.podRestartThreshold: expected a whole number ≥ 1, got 0',
      ],
    ],
    [
      'framework A10 PodLifeTime without seconds',
      strategy('PodLifeTime', {}),
      [
        'error not-allowed 6 strategies.PodLifeTime.params: at least one of maxPodLifeTimeSeconds, states, conditions, exitCodes is needed',
      ],
    ],
    [
      'framework A10 thresholds missing',
      strategy('HighNodeUtilization', { nodeResourceUtilizationThresholds: {} }),
      [
        'error missing 7 strategies.HighNodeUtilization.params.nodeResourceUtilizationThresholds.thresholds: "thresholds" is required: a map of keys',
      ],
    ],
    [
      'framework A10 cpu 150%',
      strategy('HighNodeUtilization', { nodeResourceUtilizationThresholds: { thresholds: { cpu: 150 } } }),
      [
        'error out-of-range 9 strategies.HighNodeUtilization.params.nodeResourceUtilizationThresholds.thresholds.cpu: expected a number from 0 to 100, got 150',
      ],
    ],
    ...['LowNodeUtilization', 'HighNodeUtilization'].map((name): readonly [string, object, readonly string[]] => [
      `framework A10 ${name} with included namespaces`,
      strategy(name, { namespaces: { include: ['a'] }, ...minimal[name] }),
      [
        `error not-allowed 8 strategies.${name}.params.namespaces.include: only exclude is possible here: usage is counted over all namespaces`,
      ],
    ]),
    [
      'an unknown parameter',
      strategy('RemoveDuplicates', { nodeFitt: true }),
      ['error unknown-key 7 strategies.RemoveDuplicates.params.nodeFitt: unknown key (did you mean "nodeFit"?)'],
    ],
    [
      'an unknown parameter of a disabled strategy',
      {
        strategies: {
          RemoveDuplicates: { enabled: false, params: { nodeFitt: true } },
          RemoveFailedPods: { enabled: true },
        },
      },
      ['error unknown-key 7 strategies.RemoveDuplicates.params.nodeFitt: unknown key (did you mean "nodeFit"?)'],
    ],
    [
      'a setting of the new version',
      { maxNoOfPodsToEvictTotal: 1, ...strategy('RemoveDuplicates') },
      [
        'error unknown-key 3 maxNoOfPodsToEvictTotal: unknown key ("maxNoOfPodsToEvictTotal" exists in apiVersion: descheduler/v1alpha2; evenkeel policy migrate rewrites a policy of this version)',
      ],
    ],
    [
      'a wrong type is found once',
      {
        evictLocalStoragePods: 'sure',
        strategies: { RemoveDuplicates: { enabled: true }, RemoveFailedPods: { enabled: true } },
      },
      ['error wrong-type 3 evictLocalStoragePods: expected true or false, got the text "sure"'],
    ],
    [
      'a threshold above the highest',
      strategy('RemoveDuplicates', { thresholdPriority: 2_000_000_001 }),
      [
        'error not-allowed 7 strategies.RemoveDuplicates.params.thresholdPriority: the highest threshold is 2000000000, that of critical pods',
      ],
    ],
    [
      'a state that does not exist',
      strategy('PodLifeTime', { podLifeTime: { podStatusPhases: ['Running'], states: ['Gone'] } }),
      ['error not-allowed 11 strategies.PodLifeTime.params.podLifeTime.states[0]: expected one of '],
    ],
  ];
  for (const [title, fields, expected] of rows) {
    it(title, () =>
      assert.deepEqual(
        found(fields).map((line, index) => cut(line, expected[index])),
        expected,
      ),
    );
  }
});

/** Rows that end in a colon and a space, or in "one of ", name only the start of a long message. */
function cut(line: string, expected: string | undefined): string {
  return expected?.endsWith('one of ') ? line.slice(0, expected.length) : line;
}

describe('v1alpha1: warnings', () => {
  const ignored = ['RemoveDuplicates', 'LowNodeUtilization', 'HighNodeUtilization'];
  for (const name of ignored) {
    it(`the label selector of ${name} is ignored, and says so`, () => {
      const fields = strategy(name, { labelSelector: { matchLabels: { a: 'b' } }, ...minimal[name] });
      assert.deepEqual(found(fields), [
        `warning no-effect 7 strategies.${name}.params.labelSelector: ${name} does not read labelSelector`,
      ]);
      assert.equal(loaded(fields).profiles.length, 1);
    });
  }

  it('nodeFit of PodLifeTime is ignored, and says so', () => {
    const fields = strategy('PodLifeTime', { nodeFit: true, ...minimal.PodLifeTime });
    assert.deepEqual(found(fields), [
      'warning no-effect 7 strategies.PodLifeTime.params.nodeFit: nodeFit has no effect: PodLifeTime never asks whether a pod fits elsewhere in this version',
    ]);
    assert.equal(loaded(fields).profiles[0]?.evictor.nodeFit, false);
  });

  it('a parameter of another strategy has no effect, and says whose it is', () => {
    assert.deepEqual(found(strategy('RemoveDuplicates', { failedPods: { reasons: ['a'] }, nodeAffinityType: types })), [
      'warning no-effect 8 strategies.RemoveDuplicates.params.failedPods.reasons: RemoveDuplicates does not read failedPods.reasons (it is a parameter of RemoveFailedPods)',
      'warning no-effect 10 strategies.RemoveDuplicates.params.nodeAffinityType: RemoveDuplicates does not read nodeAffinityType (it is a parameter of RemovePodsViolatingNodeAffinity)',
    ]);
  });

  it('everything disabled enables nothing', () => {
    assert.deepEqual(found({ strategies: { RemoveDuplicates: { enabled: false, weight: 1 } } }), [
      'warning nothing-enabled 3 strategies: no strategy is enabled (list strategies under plugins.deschedule.enabled or plugins.balance.enabled of a profile)',
    ]);
  });

  it('empty parameters, strategies and nulls are nothing', () => {
    assert.deepEqual(
      found({ strategies: { RemoveDuplicates: { enabled: true, params: null }, PodLifeTime: null } }),
      [],
    );
  });
});
