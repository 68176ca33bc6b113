import assert from 'node:assert/strict';
import { found, policyText } from './policy-text.ts';

const low = (below: object, above: object, more: object = {}) => {
  return { name: 'LowNodeUtilization', args: { thresholds: below, targetThresholds: above, ...more } };
};
const high = (below: object) => ({ name: 'HighNodeUtilization', args: { thresholds: below } });
type Plugin = ReturnType<typeof low> | ReturnType<typeof high>;

const profile = (name: string, ...plugins: readonly Plugin[]) => {
  return { name, pluginConfig: plugins, plugins: { balance: { enabled: plugins.map((plugin) => plugin.name) } } };
};

/** Findings about policies of these profiles, without their lines. */
function about(...profiles: readonly object[]): readonly string[] {
  return found(policyText({ profiles })).map((line) => line.replace(/^(\w+ [\w-]+) \d+/u, '$1'));
}

const spread = low({ cpu: 20 }, { cpu: 60 });
const SPLIT = 'keep one of them, or split the nodes between two policies with nodeSelector';
const GAP = 'lower the first or raise the second by at least what a pod or two take';
const noGap = (resource: string, at: number, args = 'profiles[0].pluginConfig[0].args') =>
  `warning no-gap ${args}.targetThresholds.${resource}: there is no gap between thresholds and targetThresholds of ${resource}, both ${at}: a node that has just taken pods gives some away in the next cycle (${GAP})`;

const rows: readonly [string, readonly object[], readonly string[]][] = [
  ['one alone', [profile('p', spread)], []],
  ['the other alone', [profile('p', high({ cpu: 30 }))], []],
  [
    'both in one profile',
    [profile('p', spread, high({ cpu: 30, memory: 40 }))],
    [
      `warning opposite-strategies profiles[0].plugins.balance.enabled[1]: HighNodeUtilization in profile p and LowNodeUtilization in profile p pull in opposite directions over the same nodes: the first empties nodes below cpu 30 and memory 40, the second fills nodes below cpu 20 (${SPLIT})`,
    ],
  ],
  [
    'both in two profiles, which look at the same nodes',
    [
      profile('pack', high({ cpu: 30 })),
      profile('spread', low({ cpu: 5 }, { cpu: 10 }, { useDeviationThresholds: true })),
    ],
    [
      `warning opposite-strategies profiles[0].plugins.balance.enabled[0]: HighNodeUtilization in profile pack and LowNodeUtilization in profile spread pull in opposite directions over the same nodes: the first empties nodes below cpu 30, the second fills nodes below cpu 5 from the average (${SPLIT})`,
    ],
  ],
  ['configured, but not enabled', [{ ...profile('p', spread), pluginConfig: [spread, high({ cpu: 30 })] }], []],
  [
    'thresholds without a gap',
    [profile('p', low({ cpu: 50, memory: 20, pods: 100 }, { cpu: 50, memory: 60, pods: 100 }))],
    [noGap('cpu', 50)],
  ],
  [
    'deviations of the same size leave a gap around the average',
    [profile('p', low({ cpu: 10 }, { cpu: 10 }, { useDeviationThresholds: true }))],
    [],
  ],
  [
    'deviations of nothing do not',
    [profile('p', low({ cpu: 0 }, { cpu: 0 }, { useDeviationThresholds: true }))],
    [noGap('cpu', 0)],
  ],
  [
    'the source of one is the destination of the other',
    [profile('gentle', low({ cpu: 50 }, { cpu: 70 })), profile('strict', low({ cpu: 10 }, { cpu: 40 }))],
    [
      'warning opposite-strategies profiles[1].plugins.balance.enabled[0]: LowNodeUtilization in profile strict takes pods from nodes above cpu 40, to which LowNodeUtilization in profile gentle brings pods as long as they are below cpu 50 (thresholds of one have to lie below targetThresholds of the other)',
    ],
  ],
  ['two that agree', [profile('a', low({ cpu: 20 }, { cpu: 60 })), profile('b', low({ cpu: 30 }, { cpu: 70 }))], []],
];

describe('strategies that pull in opposite directions', () => {
  for (const [row, profiles, findings] of rows) {
    it(row, () => {
      assert.deepEqual(about(...profiles), findings);
    });
  }

  it('are found in the old format, too, at their place there', () => {
    const params = (thresholds: object, targetThresholds?: object) => ({
      enabled: true,
      params: { nodeResourceUtilizationThresholds: { thresholds, ...(targetThresholds ? { targetThresholds } : {}) } },
    });
    const old = {
      apiVersion: 'descheduler/v1alpha1',
      kind: 'DeschedulerPolicy',
      strategies: {
        LowNodeUtilization: params({ cpu: 40 }, { cpu: 40 }),
        HighNodeUtilization: params({ cpu: 30 }),
      },
    };
    const places = found(JSON.stringify(old, null, 2)).map((line) => line.split(': ')[0]);
    assert.deepEqual(places, [
      'warning no-gap 13 strategies.LowNodeUtilization.params.nodeResourceUtilizationThresholds.targetThresholds.cpu',
      'warning opposite-strategies 18 strategies.HighNodeUtilization',
    ]);
  });
});
