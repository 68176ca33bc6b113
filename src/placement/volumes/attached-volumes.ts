import type { Claim } from '../../cluster/objects/kinds.ts';
import type { Pod, PodSpec } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { Candidate } from '../candidate.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import type { AssignedPod, AssignedPodIndex } from '../counts/assigned-pods.ts';
import type { ClaimUse, VolumeClaims } from './volume-claims.ts';

/** A volume of a CSI driver, under a name of its own. */
export interface DriverVolume {
  readonly driver: string;
  readonly name: string;
}

/** Volumes of one driver on one node, and how many assigned pods use each. */
type Uses = Map<string, number>;

const NO_USES: ReadonlyMap<string, number> = new Map();

/** Which volumes are attached where, and how many may be (rule S12). */
export class AttachedVolumes implements AssignedPodIndex {
  readonly #snapshot: Snapshot;
  readonly #nodeIndexes: NodeIndexes;
  readonly #claims: VolumeClaims;
  readonly #uses = new Map<string, Uses>();
  readonly #idle = new Map<string, number>();
  #attachments: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  constructor(snapshot: Snapshot, nodeIndexes: NodeIndexes, claims: VolumeClaims) {
    this.#snapshot = snapshot;
    this.#nodeIndexes = nodeIndexes;
    this.#claims = claims;
  }

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    for (const { driver, name } of this.#volumesOf(assignedPod.pod, this.#claims.of(assignedPod.pod))) {
      const key = slot(assignedPod.nodeIndex, driver);
      const uses = this.#uses.get(key) ?? new Map<string, number>();
      this.#uses.set(key, uses);
      use(uses, name, sign);
      this.#idle.delete(key);
    }
  }

  /** Volumes that the pod to place brings along. */
  wantedBy(candidate: Candidate): readonly DriverVolume[] {
    return this.#volumesOf(candidate.pod, this.#claims.wanted(candidate));
  }

  /** How many volumes of the driver the node can attach; undefined without a limit. */
  limit(nodeIndex: number, driver: string): number | undefined {
    const limits = this.#snapshot.find('CSINode', '', this.#nodeIndexes.at(nodeIndex).name)?.limits;
    return limits && Object.hasOwn(limits, driver) ? limits[driver] : undefined;
  }

  /** Assigned pods' volumes of the driver, attached ones that no assigned pod uses, and wanted ones that no assigned pod has. */
  count(nodeIndex: number, driver: string, asked: { candidate: Candidate; wanted: readonly DriverVolume[] }): number {
    const uses = this.#seenUses(nodeIndex, driver, asked.candidate);
    const added = new Set(
      asked.wanted.filter((volume) => volume.driver === driver && !uses.has(volume.name)).map(({ name }) => name),
    );
    return uses.size + this.#idleCount(nodeIndex, driver) + added.size;
  }

  #seenUses(nodeIndex: number, driver: string, { changes }: Candidate): ReadonlyMap<string, number> {
    const uses = this.#uses.get(slot(nodeIndex, driver)) ?? NO_USES;
    const here = changes.filter(({ assignedPod }) => assignedPod.nodeIndex === nodeIndex);
    if (here.length === 0) return uses;
    const seen = new Map(uses);
    for (const { assignedPod, sign } of here) {
      for (const volume of this.#volumesOf(assignedPod.pod, this.#claims.of(assignedPod.pod))) {
        if (volume.driver === driver) use(seen, volume.name, sign);
      }
    }
    return seen;
  }

  #volumesOf(pod: Pod, claims: readonly ClaimUse[]): readonly DriverVolume[] {
    return [...inlineVolumes(pod.spec), ...claims.flatMap((claimUse) => this.#volumeOf(claimUse))];
  }

  /** A bound claim counts as its volume; an unbound one, with its class's driver, as itself; others are skipped. */
  #volumeOf({ claim, namespace, name }: ClaimUse): readonly DriverVolume[] {
    if (!claim) return [];
    if (claim.volumeName !== '') return this.#boundVolume(claim);
    const driver = this.#claims.storageClass(claim)?.provisioner;
    return driver === undefined ? [] : [{ driver, name: `claim ${namespace}/${name}` }];
  }

  #boundVolume(claim: Claim): readonly DriverVolume[] {
    const volume = this.#claims.volume(claim);
    return volume && volume.driver !== '' ? [{ driver: volume.driver, name: volume.handle }] : [];
  }

  #idleCount(nodeIndex: number, driver: string): number {
    const key = slot(nodeIndex, driver);
    let idle = this.#idle.get(key);
    if (idle === undefined) {
      this.#attachments ??= readAttachments(this.#snapshot, this.#nodeIndexes);
      const uses = this.#uses.get(key) ?? NO_USES;
      idle = [...(this.#attachments.get(key) ?? [])].filter((volume) => !uses.has(volume)).length;
      this.#idle.set(key, idle);
    }
    return idle;
  }
}

function slot(nodeIndex: number, driver: string): string {
  return `${nodeIndex} ${driver}`;
}

function use(uses: Uses, name: string, sign: 1 | -1): void {
  const count = (uses.get(name) ?? 0) + sign;
  if (count > 0) uses.set(name, count);
  else uses.delete(name);
}

/** Attached volumes by node and driver. */
function readAttachments(snapshot: Snapshot, nodeIndexes: NodeIndexes): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { nodeName, attacher, volumeName } of snapshot.list('VolumeAttachment')) {
    const nodeIndex = nodeIndexes.of(nodeName);
    if (nodeIndex === undefined) continue;
    const key = slot(nodeIndex, attacher);
    const volume = snapshot.find('PersistentVolume', '', volumeName);
    found.set(key, (found.get(key) ?? new Set()).add(volume?.handle ?? `attachment ${volumeName}`));
  }
  return found;
}

/** In-tree disks in a pod's own spec count under the CSI driver that has replaced them. */
function inlineVolumes({ volumes }: PodSpec): readonly DriverVolume[] {
  return volumes.flatMap((volume) => {
    if (volume.kind === 'gce') return [{ driver: 'pd.csi.storage.gke.io', name: volume.disk }];
    return volume.kind === 'aws' ? [{ driver: 'ebs.csi.aws.com', name: volume.disk }] : [];
  });
}
