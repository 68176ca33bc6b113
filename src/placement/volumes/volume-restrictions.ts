import type { Volume } from '../../cluster/objects/pod.ts';
import type { Candidate } from '../candidate.ts';
import { singleCheck, type Rule } from '../filters/misfit.ts';
import { nameOf, type Resident, type ResidentIndex } from '../counts/residents.ts';
import { seenAt, seenBy } from '../counts/residents-seen.ts';
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
      const conflict = (place: number) => findConflict(wanted, seenAt(place, users.disksAt(place), candidate));
      return singleCheck(
        'disk',
        (place) => conflict(place) === undefined,
        (place) => conflict(place) ?? '',
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

/** The residents with claims and with inline disks. */
export class VolumeUsers implements ResidentIndex {
  readonly #byClaim = new Map<string, Set<Resident>>();
  readonly #disks = new Map<number, Set<Resident>>();

  change(resident: Resident, sign: 1 | -1): void {
    const { namespace, spec } = resident.pod;
    for (const volume of spec.volumes) {
      if (volume.kind === 'claim') put(this.#byClaim, `${namespace}/${volume.claim}`, { resident, sign });
      if (isDisk(volume)) put(this.#disks, resident.place, { resident, sign });
    }
  }

  usersOf({ namespace, name }: ClaimUse): ReadonlySet<Resident> {
    return this.#byClaim.get(`${namespace}/${name}`) ?? NOBODY;
  }

  disksAt(place: number): ReadonlySet<Resident> {
    return this.#disks.get(place) ?? NOBODY;
  }
}

const NOBODY: ReadonlySet<Resident> = new Set();

function put<K>(map: Map<K, Set<Resident>>, key: K, change: { resident: Resident; sign: 1 | -1 }): void {
  const set = map.get(key) ?? new Set();
  map.set(key, set);
  if (change.sign > 0) set.add(change.resident);
  else set.delete(change.resident);
}

function usesClaim({ namespace, spec }: Candidate['pod'], use: ClaimUse): boolean {
  return namespace === use.namespace && spec.volumes.some((one) => one.kind === 'claim' && one.claim === use.name);
}

function isDisk(volume: Volume): volume is Disk {
  return 'disk' in volume;
}

function findConflict(wanted: readonly Disk[], residents: Iterable<Resident>): string | undefined {
  for (const resident of residents) {
    const taken = resident.pod.spec.volumes.filter(isDisk);
    const disk = wanted.find((one) => taken.some((other) => conflicts(one, other)));
    if (disk) return `${disk.kind} disk ${disk.disk} is in use by ${nameOf(resident)}`;
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
