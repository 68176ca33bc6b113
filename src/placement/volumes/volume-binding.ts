import type { Claim, StorageClass } from '../../cluster/objects/kinds.ts';
import type { Node } from '../../cluster/objects/node.ts';
import { formatAmount } from '../../cluster/amounts/resources.ts';
import { labelOf, matchesSelector } from '../../cluster/rules/selectors.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { Candidate } from '../candidate.ts';
import { reaches, type FreeVolumes } from './free-volumes.ts';
import type { Check, FilterFailure, Rule } from '../filters/filter-failure.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import { isBound, type VolumeClaims } from './volume-claims.ts';
import { boundVolumes } from './volume-zone.ts';
import type { Warnings } from '../warnings.ts';

/** What volume binding reads. */
export interface Storage {
  readonly snapshot: Snapshot;
  readonly warnings: Warnings;
  readonly nodeIndexes: NodeIndexes;
  readonly claims: VolumeClaims;
  readonly free: FreeVolumes;
}

/** VolumeBinding: bound volumes must reach the node, unbound claims must be bindable there (rule S13). */
export function volumeBindingRule(storage: Storage): Rule {
  return {
    scope: 'node',
    refuse: (candidate) => refuseClaims(candidate, storage),
    check: (candidate) => {
      if (storage.claims.wanted(candidate).length === 0) return undefined;
      const reach = reachOf(candidate, storage);
      const delayed = delayedClaims(candidate, storage);
      if (reach.length === 0 && delayed.length === 0) return undefined;
      return bindingCheck((nodeIndex) => {
        const node = storage.nodeIndexes.at(nodeIndex);
        const far = reach.find(({ volume }) => !reaches(volume, node));
        if (far) return { code: 'volume-node', text: `volume ${far.name} of claim ${far.claim} is not reachable here` };
        return bindDelayed(delayed, node, storage);
      });
    },
  };
}

function bindingCheck(failureAt: (nodeIndex: number) => FilterFailure | undefined): Check {
  return {
    passes: (nodeIndex) => failureAt(nodeIndex) === undefined,
    codes: (nodeIndex) => {
      const failure = failureAt(nodeIndex);
      return failure ? [failure.code] : [];
    },
    text: (nodeIndex) => failureAt(nodeIndex)?.text ?? '',
  };
}

/** Claims that are lost, going away, or that nobody binds while the pod waits. */
function refuseClaims(candidate: Candidate, storage: Storage): FilterFailure | undefined {
  for (const { claim, fresh } of storage.claims.wanted(candidate)) {
    if (!claim) continue;
    const name = `${claim.namespace}/${claim.name}`;
    if (claim.phase === 'Lost') return { code: 'claim-lost', text: `claim ${name} has lost its volume` };
    if (claim.deletedAt !== undefined) return { code: 'claim-deleted', text: `claim ${name} is being deleted` };
    // A fresh claim of a class that binds at once will be bound before its pod is placed.
    if (isBound(claim) || fresh || !knowsClasses(storage)) continue;
    if (claim.volumeName === '' && storage.claims.storageClass(claim)?.waitsForConsumer === true) continue;
    return { code: 'claim-unbound', text: `claim ${name} is not bound` };
  }
  return undefined;
}

function knowsClasses({ warnings }: Storage): boolean {
  return warnings.knows('StorageClass', 'binding of unbound claims');
}

/** Bound volumes that are not reachable from everywhere. */
function reachOf(candidate: Candidate, { claims, warnings }: Storage) {
  return boundVolumes(candidate, claims, warnings).flatMap(({ name, claim, volume }) =>
    volume?.nodeAffinity ? [{ name, claim, volume }] : [],
  );
}

/** A claim that is bound once its pod has a node, with its class. */
interface DelayedClaim {
  readonly claim: Claim;
  readonly storageClass: StorageClass;
}

/** Smallest request first. */
function delayedClaims(candidate: Candidate, storage: Storage): readonly DelayedClaim[] {
  return storage.claims
    .wanted(candidate)
    .flatMap(({ claim }) => {
      if (!claim || claim.volumeName !== '' || !knowsClasses(storage)) return [];
      const storageClass = storage.claims.storageClass(claim);
      return storageClass?.waitsForConsumer ? [{ claim, storageClass }] : [];
    })
    .toSorted((a, b) => a.claim.requestBytes - b.claim.requestBytes);
}

function bindDelayed(delayed: readonly DelayedClaim[], node: Node, storage: Storage): FilterFailure | undefined {
  const toProvision: DelayedClaim[] = [];
  const taken = new Set<string>();
  for (const one of delayed) {
    const { claim } = one;
    const selected = labelOf(claim.annotations, 'volume.kubernetes.io/selected-node');
    if (selected !== undefined && selected !== node.name) return unbindable(claim, `is to be made on ${selected}`);
    const match = selected === undefined ? storage.free.match(claim, node, taken) : 'none';
    if (match === 'elsewhere') return unbindable(claim, 'is promised a volume that is not reachable here');
    if (match === 'none') toProvision.push(one);
    else taken.add(match.name);
  }
  for (const one of toProvision) {
    const failure = provisionProblem(one, node) ?? capacityProblem(one, node, storage);
    if (failure) return failure;
  }
  return undefined;
}

function unbindable({ namespace, name }: Claim, why: string): FilterFailure {
  return { code: 'volume-bind', text: `claim ${namespace}/${name} ${why}` };
}

function provisionProblem({ claim, storageClass }: DelayedClaim, { labels }: Node): FilterFailure | undefined {
  const { name, provisioner, allowedTopologies } = storageClass;
  if (provisioner === '' || provisioner === 'kubernetes.io/no-provisioner') {
    return unbindable(claim, `finds no free volume here, and class ${name} makes none`);
  }
  const allowed = allowedTopologies.some((term) =>
    term.every(({ key, values }) => values.includes(labelOf(labels, key) ?? '') && Object.hasOwn(labels, key)),
  );
  if (allowedTopologies.length === 0 || allowed) return undefined;
  return unbindable(claim, `can't have a volume made here, class ${name} allows other places only`);
}

/** Each claim is tested alone, as in the scheduler: two may count on the same space. */
function capacityProblem(
  { claim, storageClass }: DelayedClaim,
  { labels }: Node,
  { snapshot, warnings }: Storage,
): FilterFailure | undefined {
  if (!warnings.knows('CSIDriver', 'storage capacity')) return undefined;
  const driver = snapshot.find('CSIDriver', '', storageClass.provisioner);
  if (!driver?.storageCapacity || !warnings.knows('CSIStorageCapacity', 'storage capacity')) return undefined;
  const enough = snapshot
    .list('CSIStorageCapacity')
    .some(
      (capacity) =>
        capacity.storageClass === storageClass.name &&
        capacity.nodeTopology !== undefined &&
        matchesSelector(capacity.nodeTopology, labels) &&
        (capacity.maximumVolumeBytes ?? capacity.capacityBytes ?? -1) >= claim.requestBytes,
    );
  if (enough) return undefined;
  const text = `no storage of class ${storageClass.name} here has ${formatAmount('storage', claim.requestBytes)} for claim ${claim.namespace}/${claim.name}`;
  return { code: 'storage', text };
}
