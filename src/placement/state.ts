import type { Snapshot } from '../cluster/snapshot.ts';
import { DefaultSelectors } from './counts/default-selector.ts';
import { Carriers } from './filters/existing-anti-affinity.ts';
import { FreeVolumes } from './volumes/free-volumes.ts';
import { Groups } from './counts/groups.ts';
import { PortHolders } from './filters/host-ports.ts';
import { Lookup } from './counts/lookup.ts';
import { AffinityMatcher } from './filters/node-affinity.ts';
import type { FitOptions } from './options.ts';
import { NodeIndexes } from './counts/node-indexes.ts';
import { AssignedPods } from './counts/assigned-pods.ts';
import { Room } from './room.ts';
import { TermReader } from './counts/selection.ts';
import { SpreadScopes } from './counts/spread-scope.ts';
import { TolerationMatcher } from './filters/taints.ts';
import { Topology } from './counts/topology.ts';
import { VolumeClaims } from './volumes/volume-claims.ts';
import { AttachedVolumes } from './volumes/attached-volumes.ts';
import { VolumeUsers } from './volumes/volume-restrictions.ts';
import { Warnings } from './warnings.ts';

/** What rules and scores know: the nodes, who stands where in this cycle, and indexes over both. */
export interface State {
  readonly snapshot: Snapshot;
  readonly options: FitOptions;
  readonly warnings: Warnings;
  readonly nodeIndexes: NodeIndexes;
  readonly topology: Topology;
  readonly assignedPods: AssignedPods;
  readonly groups: Groups;
  readonly terms: TermReader;
  readonly carriers: Carriers;
  readonly room: Room;
  readonly ports: PortHolders;
  readonly claims: VolumeClaims;
  readonly volumeUsers: VolumeUsers;
  readonly attached: AttachedVolumes;
  readonly free: FreeVolumes;
  readonly tolerationMatcher: TolerationMatcher;
  readonly affinityMatcher: AffinityMatcher;
  readonly scopes: SpreadScopes;
  readonly defaultSelectors: DefaultSelectors;
}

/** The state at the beginning of a cycle: nothing promised. */
export function createState(snapshot: Snapshot, options: FitOptions): State {
  const warnings = new Warnings(snapshot);
  const nodeIndexes = new NodeIndexes(snapshot);
  const topology = new Topology(nodeIndexes);
  const assignedPods = new AssignedPods(snapshot, nodeIndexes);
  const terms = new TermReader(snapshot, warnings);
  const claims = new VolumeClaims(snapshot, warnings);
  const tolerationMatcher = new TolerationMatcher(nodeIndexes);
  const affinityMatcher = new AffinityMatcher(nodeIndexes);
  // Counts ask the lookup when they are made, so it must hear of a change before the groups do.
  const lookup = assignedPods.follow(new Lookup());
  return {
    ...{ snapshot, options, warnings, nodeIndexes, topology, assignedPods, terms },
    groups: assignedPods.follow(new Groups(lookup)),
    carriers: assignedPods.follow(new Carriers(terms, topology)),
    room: assignedPods.follow(new Room(nodeIndexes)),
    ports: assignedPods.follow(new PortHolders()),
    ...{ claims, tolerationMatcher, affinityMatcher },
    volumeUsers: assignedPods.follow(new VolumeUsers()),
    attached: assignedPods.follow(new AttachedVolumes(snapshot, nodeIndexes, claims)),
    free: new FreeVolumes(snapshot),
    defaultSelectors: new DefaultSelectors(snapshot, warnings),
    scopes: new SpreadScopes({ nodeIndexes, topology, affinityMatcher, tolerationMatcher }),
  };
}
