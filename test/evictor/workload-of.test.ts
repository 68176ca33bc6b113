import assert from 'node:assert/strict';
import type { Workload } from '../../src/cluster/objects/kinds.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { limitedOwner } from '../../src/evictor/limits/workload-of.ts';
import * as given from '../builders/cluster.ts';
import { workload } from '../builders/workload.ts';

const shop = given.namespace('shop');
const hash = (value: string) => given.labels({ 'pod-template-hash': value });
const ofSet = (name: string, ...parts: readonly given.Part<Pod>[]) =>
  given.pod('p', shop, given.ownedBy('ReplicaSet', name), ...parts);
const at = { namespace: 'shop' };

const rows: readonly [string, Pod, readonly Workload[], string][] = [
  [
    'a ReplicaSet of a Deployment',
    ofSet('web-5d'),
    [workload('ReplicaSet', 'web-5d', { ...at, owners: ['Deployment/web'] })],
    'Deployment/web',
  ],
  ['a ReplicaSet of nobody', ofSet('web-5d'), [workload('ReplicaSet', 'web-5d', at)], 'ReplicaSet/web-5d'],
  [
    'a ReplicaSet whose owner does not control it',
    ofSet('web-5d'),
    [workload('ReplicaSet', 'web-5d', { ...at, owners: ['Team/a'], controller: false })],
    'ReplicaSet/web-5d',
  ],
  [
    'a ReplicaSet of that name in another namespace says nothing',
    ofSet('web-5d'),
    [workload('ReplicaSet', 'web-5d', { owners: ['Deployment/web'] })],
    'ReplicaSet/web-5d',
  ],
  ['an unknown ReplicaSet that ends with its hash', ofSet('web-5d', hash('5d')), [], 'Deployment/web'],
  ['an unknown ReplicaSet that does not', ofSet('web-5d', hash('6e')), [], 'ReplicaSet/web-5d'],
  ['an unknown ReplicaSet that only seems to', ofSet('web5d', hash('5d')), [], 'ReplicaSet/web5d'],
  ['an unknown ReplicaSet without a hash', ofSet('web-5d'), [], 'ReplicaSet/web-5d'],
  [
    'the object is right where the hash misleads',
    ofSet('web-5d', hash('5d')),
    [workload('ReplicaSet', 'web-5d', { ...at, owners: ['Rollout/web'] })],
    'Rollout/web',
  ],
  [
    'a Job of a CronJob',
    given.pod('p', shop, given.ownedBy('Job', 'report-29412345')),
    [workload('Job', 'report-29412345', { ...at, owners: ['CronJob/report'] })],
    'CronJob/report',
  ],
  [
    'an unknown Job may be called anything',
    given.pod('p', shop, given.ownedBy('Job', 'report-29412345')),
    [],
    'Job/report-29412345',
  ],
  [
    'a ReplicationController of a DeploymentConfig',
    given.pod('p', shop, given.ownedBy('ReplicationController', 'web-1')),
    [workload('ReplicationController', 'web-1', { ...at, owners: ['DeploymentConfig/web'] })],
    'DeploymentConfig/web',
  ],
  [
    'a StatefulSet stands for itself, whoever made it',
    given.pod('p', shop, given.ownedBy('StatefulSet', 'db')),
    [workload('StatefulSet', 'db', { ...at, owners: ['Operator/all'] })],
    'StatefulSet/db',
  ],
  [
    'owners in a circle',
    ofSet('a'),
    [
      workload('ReplicaSet', 'a', { ...at, owners: ['ReplicaSet/b'] }),
      workload('ReplicaSet', 'b', { ...at, owners: ['ReplicaSet/a'] }),
    ],
    'ReplicaSet/b',
  ],
  ['a pod without an owner', given.pod('p', shop, given.noOwner), [], 'Pod/p'],
  ['a custom owner', given.pod('p', shop, given.ownedBy('Game', 'chess')), [], 'Game/chess'],
];

describe('the owner that limits count a pod under', () => {
  for (const [row, pod, workloads, name] of rows) {
    it(row, () => {
      assert.deepEqual(limitedOwner(pod, given.snapshot(...workloads)), { namespace: 'shop', name });
    });
  }
});
