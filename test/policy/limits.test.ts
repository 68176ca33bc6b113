import assert from 'node:assert/strict';
import { found, loaded, policyText } from './policy-text.ts';

const profiles = [{ name: 'p', plugins: { balance: { enabled: ['RemoveDuplicates'] } } }];
const MINUTE = 60_000;

/** Findings of a good policy with these settings, without their lines. */
function beside(fields: object): readonly string[] {
  return found(policyText({ profiles, ...fields })).map((line) => line.replace(/^(\w+ [\w-]+) \d+/u, '$1'));
}

const SHARE = 'expected a whole number ≥ 0 or a percentage from "0%" to "100%"';
const SPAN = 'expected a duration above 0 such as 30m or 6h';
const pauses = { base: '10m', max: '6h' };
const configMap = { namespace: 'kube-system', name: 'evenkeel-history' };
const hourly = { per: 'owner', max: 2, window: '1h' };

describe('pauseWhen of a policy', () => {
  it('is read', () => {
    const { pauseWhen } = loaded(policyText({ profiles, pauseWhen: { notReadyNodes: '30%', pendingPods: 50 } }));
    assert.deepEqual(pauseWhen, { notReadyNodes: { percent: 30 }, pendingPods: { pods: 50 } });
  });

  it('names what is wrong with it', () => {
    assert.deepEqual(beside({ pauseWhen: { notReadyNodes: '130%', readyNodes: 1 } }).length, 2);
    assert.match(
      beside({ pauseWhen: { pendingPods: '20' } })[0] ?? '',
      /pauseWhen\.pendingPods: .*write it without quotes: 20/u,
    );
  });
});

describe('limits with a memory in a policy', () => {
  it('are read', () => {
    const policy = loaded(
      policyText({
        profiles,
        maxNoOfPodsToEvictTotal: 10,
        evictionWindows: [
          { per: 'owner', max: '25%', window: '1h' },
          { per: 'total', max: 20, window: '1h30m' },
        ],
        evictionCooldown: pauses,
        blockedPodBackoff: { base: '5m', max: '5m' },
        history: { configMap },
      }),
    );
    assert.deepEqual(policy.limits, {
      total: 10,
      node: undefined,
      namespace: undefined,
      windows: [
        { per: 'owner', max: { percent: 25 }, windowMs: 60 * MINUTE },
        { per: 'total', max: { pods: 20 }, windowMs: 90 * MINUTE },
      ],
      cooldown: { baseMs: 10 * MINUTE, maxMs: 360 * MINUTE },
      blockedPods: { baseMs: 5 * MINUTE, maxMs: 5 * MINUTE },
    });
    assert.deepEqual(policy.history, { configMap });
  });

  it('are off unless they are set; null is unset', () => {
    const off = { total: undefined, node: undefined, namespace: undefined };
    const nothing = { maxNoOfPodsToEvictPerOwner: null, evictionWindows: null, evictionCooldown: null, history: null };
    for (const fields of [{}, nothing]) {
      const policy = loaded(policyText({ profiles, ...fields }));
      assert.deepEqual([policy.limits, 'history' in policy], [off, false]);
    }
  });

  const shares: readonly [unknown, object | string][] = [
    [0, { pods: 0 }],
    [3, { pods: 3 }],
    ['0%', { percent: 0 }],
    ['100%', { percent: 100 }],
    ['101%', `${SHARE}, got "101%"`],
    ['-5%', `${SHARE}, got "-5%"`],
    ['2.5%', `${SHARE}, got "2.5%"`],
    ['%', `${SHARE}, got "%"`],
    ['3', `${SHARE}, got "3"; write it without quotes: 3`],
    ['', `${SHARE}, got ""`],
    [-1, `${SHARE}, got -1`],
    [1.5, `${SHARE}, got 1.5`],
    [1e300, `${SHARE}, got 1e+300`],
    [true, SHARE],
    [[1], SHARE],
    [{}, SHARE],
  ];
  for (const [given, expected] of shares) {
    it(`maxNoOfPodsToEvictPerOwner: ${JSON.stringify(given)}`, () => {
      const fields = { maxNoOfPodsToEvictPerOwner: given };
      if (typeof expected === 'string') {
        assert.deepEqual(beside(fields), [`error not-allowed maxNoOfPodsToEvictPerOwner: ${expected}`]);
      } else {
        assert.deepEqual(loaded(policyText({ profiles, ...fields })).limits.owner, expected);
      }
    });
  }

  const rows: readonly [string, object, readonly string[]][] = [
    ['an empty list of windows', { evictionWindows: [] }, []],
    [
      'windows that are no list',
      { evictionWindows: 3 },
      ['error wrong-type evictionWindows: expected a list, got 3 (write it as a list: [3])'],
    ],
    [
      'a window with nothing in it',
      { evictionWindows: [{}] },
      [
        'error missing evictionWindows[0].per: "per" is required: one of total, namespace, node, owner',
        'error missing evictionWindows[0].window: "window" is required: text',
        `error not-allowed evictionWindows[0].max: "max" is required: ${SHARE}`,
      ],
    ],
    [
      'a window of wrong values',
      { evictionWindows: [{ per: 'pod', max: '110%', window: '0s' }] },
      [
        'error not-allowed evictionWindows[0].per: expected one of total, namespace, node, owner, got the text "pod"',
        `error not-allowed evictionWindows[0].max: ${SHARE}, got "110%"`,
        `error not-allowed evictionWindows[0].window: ${SPAN}, got "0s"`,
      ],
    ],
    ...['-1h', '1d', '', 'an hour'].map((window): [string, object, readonly string[]] => [
      `a window of "${window}"`,
      { evictionWindows: [{ ...hourly, window }] },
      [`error not-allowed evictionWindows[0].window: ${SPAN}, got "${window}"`],
    ]),
    [
      'a misspelt key',
      { evictionWindows: [{ ...hourly, windows: '1h' }] },
      ['error unknown-key evictionWindows[0].windows: unknown key (did you mean "window"?)'],
    ],
    [
      'the same window twice: the first one counts',
      { evictionWindows: [hourly, hourly] },
      [
        'warning no-effect evictionWindows[1]: never counts: 2 per owner in 1h is at least as strict as 2 per owner in 1h',
      ],
    ],
    [
      'a window that a longer and lower one makes useless',
      { evictionWindows: [hourly, { per: 'owner', max: 1, window: '24h' }] },
      [
        'warning no-effect evictionWindows[0]: never counts: 1 per owner in 24h is at least as strict as 2 per owner in 1h',
      ],
    ],
    [
      'windows that complete each other',
      {
        evictionWindows: [
          hourly,
          { per: 'owner', max: 5, window: '24h' },
          { ...hourly, per: 'node' },
          { ...hourly, max: '2%' },
        ],
      },
      [],
    ],
    [
      'a base above max',
      { evictionCooldown: { base: '7h', max: '6h' } },
      ['error not-allowed evictionCooldown.base: base is longer than max, up to which pauses grow'],
    ],
    [
      'pauses of nothing',
      { blockedPodBackoff: { base: '0s' } },
      [
        'error missing blockedPodBackoff.max: "max" is required: text',
        `error not-allowed blockedPodBackoff.base: ${SPAN}, got "0s"`,
      ],
    ],
    [
      'a limit per owner beside the pause per owner',
      { maxNoOfPodsToEvictPerOwner: 3, evictionCooldown: pauses },
      [
        'warning no-effect maxNoOfPodsToEvictPerOwner: never counts: evictionCooldown lets one pod of an owner go in a cycle',
      ],
    ],
    ['none per owner beside the pause per owner', { maxNoOfPodsToEvictPerOwner: 0, evictionCooldown: pauses }, []],
    [
      'a history without a limit that looks back',
      { maxNoOfPodsToEvictPerOwner: 1, history: { configMap } },
      [
        'warning no-effect history: nothing is remembered, since no limit looks back (set evictionWindows, evictionCooldown or blockedPodBackoff, or leave history out)',
      ],
    ],
    [
      'a history without a place',
      { evictionCooldown: pauses, history: {} },
      ['error missing history.configMap: "configMap" is required: a map of keys'],
    ],
    [
      'a place that cannot exist',
      { evictionCooldown: pauses, history: { configMap: { namespace: 'Kube_System', name: '../x' } } },
      [
        'error not-allowed history.configMap.namespace: not a valid name of a namespace',
        'error not-allowed history.configMap.name: not a valid name of a ConfigMap',
      ],
    ],
  ];
  for (const [row, fields, findings] of rows) {
    it(row, () => {
      assert.deepEqual(beside(fields), findings);
    });
  }

  it('do not exist in the old format, which a finding says', () => {
    const old = {
      apiVersion: 'descheduler/v1alpha1',
      kind: 'DeschedulerPolicy',
      strategies: { RemoveDuplicates: { enabled: true } },
    };
    const lines = found(JSON.stringify({ ...old, evictionCooldown: pauses }));
    assert.deepEqual(lines, [
      'error unknown-key 1 evictionCooldown: unknown key ("evictionCooldown" exists in apiVersion: descheduler/v1alpha2; evenkeel policy migrate rewrites a policy of this version)',
    ]);
  });
});
