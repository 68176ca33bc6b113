import assert from 'node:assert/strict';
import { loadPolicy } from '../../src/policy/load.ts';
import { found, pluginText } from './policy-text.ts';

const LIFE = { maxPodLifeTimeSeconds: 1 };

/** Warnings of the arguments of a plugin, as `path: message (hint)`. */
function warnings(plugin: string, args: object): readonly string[] {
  const text = pluginText(plugin, args);
  assert.ok(loadPolicy(text).ok, 'a warning stops nothing');
  return found(text).map((line) => line.replace(/^warning no-effect \d+ profiles\[0\]\.pluginConfig\[0\]\.args\./, ''));
}

describe('a setting that protects nothing is a warning', () => {
  const names = 'these are names, not patterns: list each one';
  const rows: readonly [what: string, plugin: string, args: object, expected: readonly string[]][] = [
    [
      'a pattern among namespaces',
      'PodLifeTime',
      { ...LIFE, namespaces: { exclude: ['kube-system', 'kube-*', 'Prod'] } },
      [
        `namespaces.exclude[1]: no namespace can be called "kube-*" (${names})`,
        `namespaces.exclude[2]: no namespace can be called "Prod" (${names})`,
      ],
    ],
    [
      'a pattern among the only namespaces',
      'RemoveDuplicates',
      { namespaces: { include: ['team-.+'] } },
      [`namespaces.include[0]: no namespace can be called "team-.+" (${names})`],
    ],
    [
      'a pattern for the utilization strategies',
      'HighNodeUtilization',
      { thresholds: { cpu: 20 }, evictableNamespaces: { exclude: ['*-system'] } },
      [`evictableNamespaces.exclude[0]: no namespace can be called "*-system" (${names})`],
    ],
    [
      'a taint with its effect',
      'RemovePodsViolatingNodeTaints',
      { excludedTaints: ['spot', 'gpu=yes', 'gpu=yes:NoSchedule', 'maintenance:NoExecute'] },
      [
        'excludedTaints[2]: no taint is "gpu=yes:NoSchedule": it is compared as key or key=value (write gpu=yes)',
        'excludedTaints[3]: no taint is "maintenance:NoExecute": it is compared as key or key=value (write maintenance)',
      ],
    ],
    [
      'kinds that own no pods, or are written otherwise',
      'RemoveDuplicates',
      { excludeOwnerKinds: ['Deployment', 'CronJob', 'replicaset', 'statefulsets', 'Jobs', 'deployments', 'cloneset'] },
      [
        'excludeOwnerKinds[0]: no pod is owned by a Deployment (write ReplicaSet)',
        'excludeOwnerKinds[1]: no pod is owned by a CronJob (write Job)',
        'excludeOwnerKinds[2]: no kind is called "replicaset" (write ReplicaSet)',
        'excludeOwnerKinds[3]: no kind is called "statefulsets" (write StatefulSet)',
        'excludeOwnerKinds[4]: no kind is called "Jobs" (write Job)',
        'excludeOwnerKinds[5]: no kind is called "deployments" (write ReplicaSet)',
        'excludeOwnerKinds[6]: no kind is called "cloneset" (kinds are written as in ownerReferences of pods)',
      ],
    ],
    [
      'owner kinds of PodLifeTime',
      'PodLifeTime',
      { ...LIFE, ownerKinds: { exclude: ['job', 'Job', 'CloneSet', 'constructor'] } },
      [
        'ownerKinds.exclude[0]: no kind is called "job" (write Job)',
        'ownerKinds.exclude[3]: no kind is called "constructor" (kinds are written as in ownerReferences of pods)',
      ],
    ],
    [
      'storage classes of a protection that is off',
      'DefaultEvictor',
      { podProtections: { config: { PodsWithPVC: { protectedStorageClasses: [{ name: 'fast' }] } } } },
      [
        'podProtections.config.PodsWithPVC: protects nothing: the protection PodsWithPVC is off (add PodsWithPVC to podProtections.extraEnabled)',
      ],
    ],
    [
      'a protection of storage classes that lists none',
      'DefaultEvictor',
      { podProtections: { extraEnabled: ['PodsWithPVC'], config: { PodsWithPVC: {} } } },
      [
        'podProtections.config.PodsWithPVC: chooses nothing: without protectedStorageClasses the pods of all claims are protected (list storage classes under protectedStorageClasses)',
      ],
    ],
    [
      'storage classes with the older flag',
      'DefaultEvictor',
      {
        ignorePvcPods: true,
        podProtections: { config: { PodsWithPVC: { protectedStorageClasses: [{ name: 'fast' }] } } },
      },
      [],
    ],
  ];
  for (const [what, plugin, args, expected] of rows) {
    it(what, () => assert.deepEqual(warnings(plugin, args), expected));
  }
});
