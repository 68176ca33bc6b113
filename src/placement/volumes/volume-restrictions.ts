import type { Volume } from '../../cluster/objects/pod.ts';
import type { Candidate } from '../candidate.ts';
import { singleCheck, type Rule } from '../filters/filter-failure.ts';
import { nameOf, type AssignedPod, type AssignedPodIndex } from '../counts/assigned-pods.ts';
import { seenAt, seenBy } from '../counts/assigned-pods-seen.ts';
import type { ClaimUse, VolumeClaims } from './volume-claims.ts';

/** VolumeRestrictions: claims must exist, and inline disks are not shared within a node (rule S11). */
export function inlineDisksRule(claims: VolumeClaims, users: VolumeUsers): Rule {
  return {
    scope: 'node',
    refuse: (candidate) => {
      const missing = claims.wanted(candidate).find(({ claim }) => !claim);
      return missing && { code: 'claim-missing', text: `claim ${missing.namespace}/${missing.name} does not exist` };
    },
    check: (candidate) => {
      const wanted = candidate.spec.volumes.filter(isDisk);
      if (wanted.length === 0) return undefined;
      const conflict = (nodeIndex: number) =>
        findConflict(wanted, seenAt(nodeIndex, users.disksAt(nodeIndex), candidate));
      return singleCheck(
        'disk',
        (nodeIndex) => conflict(nodeIndex) === undefined,
        (nodeIndex) => conflict(nodeIndex) ?? '',
      );
    },
  };
}

/** VolumeRestrictions: a ReadWriteOncePod claim that anybody anywhere uses fits no node (rule S11). */
export function singlePodClaimsRule(claims: VolumeClaims, users: VolumeUsers): Rule {
  return {
    check: (candidate) => {
      for (const use of claims.wanted(candidate)) {
        if (use.fresh || !use.claim?.accessModes.includes('ReadWriteOncePod')) continue;
        const [user] = [...seenBy(users.usersOf(use), candidate)].filter(({ pod }) => usesClaim(pod, use));
        if (!user) continue;
        const text = `claim ${use.namespace}/${use.name} is ReadWriteOncePod and in use by ${nameOf(user)}`;
        return singleCheck(
          'rwop',
          () => false,
          () => text,
        );
      }
      return undefined;
    },
  };
}

type Disk = Extract<Volume, { readonly disk: string }>;

/** The assigned pods with claims and with inline disks. */
export class VolumeUsers implements AssignedPodIndex {
  readonly #byClaim = new Map<string, Set<AssignedPod>>();
  readonly #disks = new Map<number, Set<AssignedPod>>();

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    const { namespace, spec } = assignedPod.pod;
    for (const volume of spec.volumes) {
      if (volume.kind === 'claim') put(this.#byClaim, `${namespace}/${volume.claim}`, { assignedPod, sign });
      if (isDisk(volume)) put(this.#disks, assignedPod.nodeIndex, { assignedPod, sign });
    }
  }

  usersOf({ namespace, name }: ClaimUse): ReadonlySet<AssignedPod> {
    return this.#byClaim.get(`${namespace}/${name}`) ?? NOBODY;
  }

  disksAt(nodeIndex: number): ReadonlySet<AssignedPod> {
    return this.#disks.get(nodeIndex) ?? NOBODY;
  }
}

const NOBODY: ReadonlySet<AssignedPod> = new Set();

function put<K>(map: Map<K, Set<AssignedPod>>, key: K, change: { assignedPod: AssignedPod; sign: 1 | -1 }): void {
  const set = map.get(key) ?? new Set();
  map.set(key, set);
  if (change.sign > 0) set.add(change.assignedPod);
  else set.delete(change.assignedPod);
}

function usesClaim({ namespace, spec }: Candidate['pod'], use: ClaimUse): boolean {
  return namespace === use.namespace && spec.volumes.some((one) => one.kind === 'claim' && one.claim === use.name);
}

function isDisk(volume: Volume): volume is Disk {
  return 'disk' in volume;
}

function findConflict(wanted: readonly Disk[], assignedPods: Iterable<AssignedPod>): string | undefined {
  for (const assignedPod of assignedPods) {
    const taken = assignedPod.pod.spec.volumes.filter(isDisk);
    const disk = wanted.find((one) => taken.some((other) => conflicts(one, other)));
    if (disk) return `${disk.kind} disk ${disk.disk} is in use by ${nameOf(assignedPod)}`;
  }
  return undefined;
}

/** Two readers may share a disk, except an EBS volume; RBD images conflict only through a common monitor. */
function conflicts(a: Disk, b: Disk): boolean {
  if (a.kind !== b.kind || a.disk !== b.disk) return false;
  if (a.kind === 'aws') return true;
  if (a.kind === 'rbd' && !a.monitors.some((monitor) => b.monitors.includes(monitor))) return false;
  return !(a.readOnly && b.readOnly);
}
