import type { Labels } from '../../cluster/objects/terms.ts';
import type { Volume } from '../../cluster/objects/kinds.ts';
import { labelOf } from '../../cluster/rules/selectors.ts';
import type { Candidate } from '../candidate.ts';
import { singleCheck, type Rule } from '../filters/filter-failure.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import type { VolumeClaims } from './volume-claims.ts';
import type { Warnings } from '../warnings.ts';

/** VolumeZone: a bound volume's zone and region labels must be the node's (rule S14). */
export function volumeZoneRule(claims: VolumeClaims, nodeIndexes: NodeIndexes, warnings: Warnings): Rule {
  const volumesOf = (candidate: Candidate) => boundVolumes(candidate, claims, warnings);
  return {
    scope: 'node',
    refuse: (candidate) => {
      const missing = volumesOf(candidate).find(({ volume }) => !volume);
      return missing && { code: 'pv-missing', text: `volume ${missing.name} of claim ${missing.claim} does not exist` };
    },
    check: (candidate) => {
      const demands = volumesOf(candidate).flatMap(({ volume }) => (volume ? demandsOf(volume) : []));
      if (demands.length === 0) return undefined;
      const unmet = (nodeIndex: number) => demands.find((demand) => !isMet(demand, nodeIndexes.at(nodeIndex).labels));
      const text = (nodeIndex: number) => {
        const demand = unmet(nodeIndex);
        return demand ? `volume ${demand.volume} is in ${demand.key} ${[...demand.values].join(' or ')}` : '';
      };
      return singleCheck('volume-zone', (nodeIndex) => unmet(nodeIndex) === undefined, text);
    },
  };
}

/** The volumes that the candidate's claims name; none, and a warning, if volumes could not be read. */
export function boundVolumes(
  candidate: Candidate,
  claims: VolumeClaims,
  warnings: Warnings,
): readonly { readonly name: string; readonly claim: string; readonly volume: Volume | undefined }[] {
  const bound = claims.wanted(candidate).flatMap(({ claim }) => (claim && claim.volumeName !== '' ? [claim] : []));
  if (bound.length === 0 || !warnings.knows('PersistentVolume', 'nodes and zones of volumes')) return [];
  return bound.map((claim) => ({
    name: claim.volumeName,
    claim: `${claim.namespace}/${claim.name}`,
    volume: claims.volume(claim),
  }));
}

interface Demand {
  readonly volume: string;
  readonly key: string;
  /** The key that a node may carry instead. */
  readonly current: string;
  readonly values: ReadonlySet<string>;
}

/** Topology labels with the current key that a node may carry for an old one; not the other way round. */
const CURRENT: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
};

function demandsOf({ name, labels }: Volume): readonly Demand[] {
  return Object.entries(CURRENT).flatMap(([key, current]) => {
    const value = labelOf(labels, key);
    return value === undefined ? [] : [{ volume: name, key, current, values: new Set(value.split('__')) }];
  });
}

/** A node that shows no topology at all is taken as fitting. */
function isMet({ key, current, values }: Demand, labels: Labels): boolean {
  if (Object.keys(CURRENT).every((one) => labelOf(labels, one) === undefined)) return true;
  const value = labelOf(labels, key) ?? labelOf(labels, current);
  return value !== undefined && values.has(value);
}
