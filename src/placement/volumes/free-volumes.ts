import type { NodeSelectorTerm } from '../../cluster/objects/terms.ts';
import type { Claim, Volume } from '../../cluster/objects/kinds.ts';
import type { Node } from '../../cluster/objects/node.ts';
import { matchesRequirements, matchesSelector } from '../../cluster/rules/selectors.ts';
import { compareText, type Snapshot } from '../../cluster/snapshot.ts';
import { Memo } from '../counts/memo.ts';

/** Volumes that an unbound claim may get (rule S13). */
export class FreeVolumes {
  readonly #snapshot: Snapshot;
  readonly #byClass = new Memo<readonly Volume[]>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /**
   * The volume that the claim would get on the node: the one that is kept for it, which also rules out nodes that do
   * not reach it (`elsewhere`), else the smallest free one; `none` if it must be made. `taken` are names of volumes that other
   * claims of the pod get.
   */
  match(claim: Claim, node: Node, taken: ReadonlySet<string>): Volume | 'elsewhere' | 'none' {
    const volumes = this.#ofClass(claim.storageClass ?? '');
    const kept = volumes.find((volume) => isKeptFor(volume, claim));
    if (kept) return reaches(kept, node) ? kept : 'elsewhere';
    return volumes.find((volume) => !taken.has(volume.name) && suits(volume, claim) && reaches(volume, node)) ?? 'none';
  }

  /** Smallest first, by name among equals. */
  #ofClass(storageClass: string): readonly Volume[] {
    return this.#byClass.get(storageClass, () =>
      this.#snapshot
        .list('PersistentVolume')
        .filter((volume) => volume.storageClass === storageClass)
        .toSorted((a, b) => a.capacityBytes - b.capacityBytes || compareText(a.name, b.name)),
    );
  }
}

/** Whether the volume can be used from the node, by the node's labels alone (rule S13). */
export function reaches({ nodeAffinity }: Volume, { labels }: Node): boolean {
  const matches = ({ matchExpressions }: NodeSelectorTerm) =>
    matchExpressions.length > 0 && matchesRequirements(matchExpressions, labels);
  return nodeAffinity?.some(matches) ?? true;
}

function isKeptFor({ claimRef, capacityBytes }: Volume, claim: Claim): boolean {
  return (
    claimRef !== undefined &&
    claimRef.namespace === claim.namespace &&
    claimRef.name === claim.name &&
    (claimRef.uid === '' || claimRef.uid === claim.uid) &&
    capacityBytes >= claim.requestBytes
  );
}

function suits(volume: Volume, claim: Claim): boolean {
  return (
    volume.phase === 'Available' &&
    volume.deletedAt === undefined &&
    volume.claimRef === undefined &&
    volume.capacityBytes >= claim.requestBytes &&
    claim.accessModes.every((mode) => volume.accessModes.includes(mode)) &&
    (volume.volumeMode || 'Filesystem') === (claim.volumeMode || 'Filesystem') &&
    (volume.attributesClass ?? '') === (claim.attributesClass ?? '') &&
    (!claim.selector || matchesSelector(claim.selector, volume.labels))
  );
}
