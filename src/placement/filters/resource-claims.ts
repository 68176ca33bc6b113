import { matchesTerm } from '../../cluster/rules/affinity.ts';
import type { ResourceClaim } from '../../cluster/objects/kinds.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { Candidate } from '../candidate.ts';
import { singleCheck, type FilterFailure, type Rule } from './filter-failure.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import type { Warnings } from '../warnings.ts';

/**
 * DynamicResources, as far as it can be told: an allocated claim keeps its pod on the nodes of the allocation
 * (rule S18). Differs from the reference: which devices are free is not computed, so a pod with an unallocated
 * claim, or one made from a template, fits nowhere for certain and stays.
 */
export function resourceClaimsRule(snapshot: Snapshot, nodeIndexes: NodeIndexes, warnings: Warnings): Rule {
  const named = (candidate: Candidate) =>
    candidate.spec.resourceClaims.flatMap(({ claim }) => (claim === undefined ? [] : [claim]));
  const knows = () => warnings.knows('ResourceClaim', 'nodes of resource claims');
  return {
    refuse: (candidate) => {
      const made = candidate.spec.resourceClaims.find(({ template }) => template !== undefined);
      if (made) return refusal(`resource claim ${made.name} is made anew from a template, its devices are unknown`);
      if (candidate.spec.resourceClaims.length === 0 || !knows()) return undefined;
      const { namespace } = candidate.pod;
      for (const name of named(candidate)) {
        const claim = snapshot.find('ResourceClaim', namespace, name);
        if (!claim) return refusal(`resource claim ${namespace}/${name} does not exist`);
        if (!claim.allocated)
          return refusal(`resource claim ${namespace}/${name} is not allocated, its devices are unknown`);
      }
      return undefined;
    },
    check: (candidate) => {
      if (candidate.spec.resourceClaims.length === 0 || !knows()) return undefined;
      const claims = named(candidate).flatMap((name) => {
        const claim = snapshot.find('ResourceClaim', candidate.pod.namespace, name);
        return claim?.nodeSelector ? [claim] : [];
      });
      if (claims.length === 0) return undefined;
      const unmet = (nodeIndex: number) => claims.find((claim) => !isAllocatedFor(claim, nodeIndex, nodeIndexes));
      const text = (nodeIndex: number) => `the devices of resource claim ${unmet(nodeIndex)?.name ?? ''} are elsewhere`;
      return singleCheck('resource-claim', (nodeIndex) => unmet(nodeIndex) === undefined, text);
    },
  };
}

function isAllocatedFor({ nodeSelector }: ResourceClaim, nodeIndex: number, nodeIndexes: NodeIndexes): boolean {
  return nodeSelector?.some((term) => matchesTerm(term, nodeIndexes.at(nodeIndex))) ?? true;
}

function refusal(text: string): FilterFailure {
  return { code: 'resource-claim', text };
}
