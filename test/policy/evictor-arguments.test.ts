import assert from 'node:assert/strict';
import type { DefaultEvictorArgs } from '../../src/evictor/constraints/args.ts';
import { UNCONFIGURED_EVICTOR } from '../../src/evictor/constraints/args.ts';
import { argumentFindings, loaded, pluginText } from './policy-text.ts';

function evictor(args: object): DefaultEvictorArgs {
  const [profile] = loaded(pluginText('DefaultEvictor', args)).profiles;
  assert.ok(profile);
  return profile.evictor;
}

function protections(args: object): readonly string[] {
  return [...evictor(args).protections];
}

const four = ['PodsWithLocalStorage', 'SystemCriticalPods', 'FailedBarePods', 'DaemonSetPods'];
const inDisabled = `possible in defaultDisabled: ${four.join(', ')}`;
const inExtra = 'possible in extraEnabled: PodsWithPVC, PodsWithoutPDB, PodsWithResourceClaims';
const mixed = (flag: string, protection: string, list: string) =>
  `${flag}: ${flag} and podProtections cannot be mixed; put ${protection} into podProtections.${list} instead`;
const mixedLocalStorage = mixed('evictLocalStoragePods', 'PodsWithLocalStorage', 'defaultDisabled');
const mixedPvc = mixed('ignorePvcPods', 'PodsWithPVC', 'extraEnabled');

describe('arguments of DefaultEvictor: effective protections', () => {
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    ['empty: the four defaults', {}, four],
    ['one off', { podProtections: { defaultDisabled: ['SystemCriticalPods'] } }, [four[0]!, four[2]!, four[3]!]],
    [
      'framework P15 two off',
      { podProtections: { defaultDisabled: ['PodsWithLocalStorage', 'DaemonSetPods'] } },
      [four[1]!, four[2]!],
    ],
    ['one more', { podProtections: { extraEnabled: ['PodsWithPVC'] } }, [...four, 'PodsWithPVC']],
    [
      'framework P16 two more',
      { podProtections: { extraEnabled: ['PodsWithPVC', 'PodsWithoutPDB'] } },
      [...four, 'PodsWithPVC', 'PodsWithoutPDB'],
    ],
    [
      'framework P17 both lists',
      { podProtections: { defaultDisabled: ['DaemonSetPods'], extraEnabled: ['PodsWithPVC'] } },
      [...four.slice(0, 3), 'PodsWithPVC'],
    ],
    [
      'resource claims alone',
      { podProtections: { extraEnabled: ['PodsWithResourceClaims'] } },
      [...four, 'PodsWithResourceClaims'],
    ],
    ['a flag switches off', { evictLocalStoragePods: true }, four.slice(1)],
    ['a flag switches on', { ignorePvcPods: true }, [...four, 'PodsWithPVC']],
    [
      'all flags',
      {
        evictLocalStoragePods: true,
        evictDaemonSetPods: true,
        evictSystemCriticalPods: true,
        evictFailedBarePods: true,
        ignorePvcPods: true,
        ignorePodsWithoutPDB: true,
      },
      ['PodsWithPVC', 'PodsWithoutPDB'],
    ],
    [
      'empty lists beside a flag are no conflict',
      { ignorePvcPods: true, podProtections: {} },
      [...four, 'PodsWithPVC'],
    ],
    [
      'a configuration without a list has no effect',
      {
        evictLocalStoragePods: true,
        podProtections: { config: { PodsWithPVC: { protectedStorageClasses: [{ name: 'a' }] } } },
      },
      four.slice(1),
    ],
    [
      'a flag that is off beside a list',
      { evictLocalStoragePods: false, podProtections: { extraEnabled: ['PodsWithPVC'] } },
      [...four, 'PodsWithPVC'],
    ],
  ];
  for (const [title, args, expected] of rows) it(title, () => assert.deepEqual(protections(args), expected));
});

describe('arguments of DefaultEvictor: what is refused', () => {
  const classes = (...names: readonly string[]) => ({
    PodsWithPVC: { protectedStorageClasses: names.map((name) => ({ name })) },
  });
  const rows: readonly (readonly [string, object, readonly string[] | 'ok'])[] = [
    [
      'priority by value and name',
      { priorityThreshold: { value: 1, name: 'x' } },
      ['priorityThreshold: value and name cannot both be set'],
    ],
    [
      'framework P2 threshold above the highest',
      { priorityThreshold: { value: 2_000_000_001 } },
      ['priorityThreshold.value: the highest threshold is 2000000000, that of critical pods'],
    ],
    ['an unknown policy', { noEvictionPolicy: 'Sometimes' }, ['noEvictionPolicy: expected Preferred or Mandatory']],
    ['empty lists', { podProtections: { defaultDisabled: [], extraEnabled: [] } }, 'ok'],
    ['both lists', { podProtections: { defaultDisabled: ['DaemonSetPods'], extraEnabled: ['PodsWithPVC'] } }, 'ok'],
    ['extra only', { podProtections: { extraEnabled: ['PodsWithPVC'] } }, 'ok'],
    [
      'framework P18 flag and disabled',
      { evictLocalStoragePods: true, podProtections: { defaultDisabled: ['DaemonSetPods'] } },
      [mixedLocalStorage],
    ],
    ['flag and extra', { ignorePvcPods: true, podProtections: { extraEnabled: ['PodsWithoutPDB'] } }, [mixedPvc]],
    [
      'two flags and disabled',
      { evictLocalStoragePods: true, ignorePvcPods: true, podProtections: { defaultDisabled: ['DaemonSetPods'] } },
      [mixedLocalStorage, mixedPvc],
    ],
    ['minReplicas 1', { minReplicas: 1 }, 'ok'],
    [
      'framework P19 unknown name in defaultDisabled',
      { podProtections: { defaultDisabled: ['Foo'] } },
      [`podProtections.defaultDisabled[0]: no protection is called "Foo"; ${inDisabled}`],
    ],
    [
      'misspelt name in defaultDisabled',
      { podProtections: { defaultDisabled: ['DaemonSetPod'] } },
      [`podProtections.defaultDisabled[0]: no protection is called "DaemonSetPod"; ${inDisabled}`],
    ],
    [
      'framework P21 extra name in defaultDisabled',
      { podProtections: { defaultDisabled: ['PodsWithPVC'] } },
      [`podProtections.defaultDisabled[0]: PodsWithPVC belongs in extraEnabled; ${inDisabled}`],
    ],
    [
      'framework P20 unknown name in extraEnabled',
      { podProtections: { extraEnabled: ['Foo'] } },
      [`podProtections.extraEnabled[0]: no protection is called "Foo"; ${inExtra}`],
    ],
    [
      'default name in extraEnabled',
      { podProtections: { extraEnabled: ['DaemonSetPods'] } },
      [`podProtections.extraEnabled[0]: DaemonSetPods belongs in defaultDisabled; ${inExtra}`],
    ],
    [
      'duplicates in each list',
      {
        podProtections: {
          defaultDisabled: ['DaemonSetPods', 'DaemonSetPods'],
          extraEnabled: ['PodsWithPVC', 'PodsWithPVC'],
        },
      },
      [
        'podProtections.defaultDisabled: defaultDisabled names DaemonSetPods twice',
        'podProtections.extraEnabled: extraEnabled names PodsWithPVC twice',
      ],
    ],
    [
      'four findings together',
      {
        noEvictionPolicy: 'x',
        podProtections: {
          defaultDisabled: ['Foo', 'DaemonSetPods', 'DaemonSetPods'],
          extraEnabled: ['PodsWithPVC', 'PodsWithPVC'],
        },
      },
      [
        'noEvictionPolicy: expected Preferred or Mandatory',
        'podProtections.defaultDisabled: defaultDisabled names DaemonSetPods twice',
        `podProtections.defaultDisabled[0]: no protection is called "Foo"; ${inDisabled}`,
        'podProtections.extraEnabled: extraEnabled names PodsWithPVC twice',
      ],
    ],
    [
      'nameless storage classes at 0 and 2',
      { podProtections: { extraEnabled: ['PodsWithPVC'], config: classes('', 'a', '') } },
      [
        'podProtections.config.PodsWithPVC.protectedStorageClasses[0]: storage class 0 has no name',
        'podProtections.config.PodsWithPVC.protectedStorageClasses[2]: storage class 2 has no name',
      ],
    ],
    ['a nameless storage class without PodsWithPVC', { podProtections: { config: classes('') } }, 'ok'],
    [
      'an age that is no duration',
      { minPodAge: '5 minutes' },
      ['minPodAge: expected a duration such as 30m or 1h30m, got "5 minutes"'],
    ],
    ['a negative age', { minPodAge: '-5m' }, ['minPodAge: expected a duration such as 30m or 1h30m, got "-5m"']],
    ['a flag as text', { nodeFit: 'true' }, ['nodeFit: expected true or false, got the text "true"']],
  ];
  for (const [title, args, expected] of rows) {
    it(title, () => assert.deepEqual(argumentFindings('DefaultEvictor', args), expected));
  }
  it('a node selector that cannot be read', () => {
    const findings = argumentFindings('DefaultEvictor', { nodeSelector: 'a in (' });
    assert.equal(findings.length, 1);
    assert.match(findings[0] ?? '', /^nodeSelector: not a label selector: /);
  });
});

describe('arguments of DefaultEvictor: what they become', () => {
  it('nothing changes nothing', () => assert.deepEqual(evictor({}), UNCONFIGURED_EVICTOR));

  it('every argument', () => {
    const args = {
      nodeFit: true,
      nodeSelector: 'zone in (a, b)',
      labelSelector: { matchLabels: { app: 'web' } },
      namespaceLabelSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
      priorityThreshold: { name: 'high' },
      minReplicas: 3,
      minPodAge: '1h30m',
      noEvictionPolicy: 'Mandatory',
      podProtections: {
        extraEnabled: ['PodsWithPVC'],
        config: { PodsWithPVC: { protectedStorageClasses: [{ name: 'fast' }, { name: 'slow' }] } },
      },
    };
    assert.deepEqual(evictor(args), {
      nodeFit: true,
      nodeSelector: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
      labelSelector: { matchLabels: { app: 'web' }, matchExpressions: [] },
      namespaceLabelSelector: { matchLabels: {}, matchExpressions: [{ key: 'team', operator: 'Exists', values: [] }] },
      priorityThreshold: { name: 'high' },
      minReplicas: 3,
      minPodAgeMs: 5_400_000,
      noEvictionPolicy: 'Mandatory',
      protections: new Set([...four, 'PodsWithPVC']),
      protectedStorageClasses: ['fast', 'slow'],
      legacyFlags: false,
    });
  });

  it('nulls are unset, as are an empty threshold, selector and policy', () => {
    const args = {
      nodeFit: null,
      nodeSelector: '',
      labelSelector: null,
      priorityThreshold: { value: null, name: null },
      noEvictionPolicy: '',
      podProtections: { defaultDisabled: null, config: null },
    };
    assert.deepEqual(evictor(args), UNCONFIGURED_EVICTOR);
  });

  it('a threshold of 0 and a negative one are thresholds', () => {
    assert.deepEqual(evictor({ priorityThreshold: { value: 0 } }).priorityThreshold, { value: 0 });
    assert.deepEqual(evictor({ priorityThreshold: { value: -5 } }).priorityThreshold, { value: -5 });
  });

  it('hints speak of flags where the policy does', () => {
    assert.equal(evictor({ evictLocalStoragePods: false }).legacyFlags, true);
  });
});
