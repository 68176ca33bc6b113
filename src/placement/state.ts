import type { Snapshot } from '../cluster/snapshot.ts';
import { DefaultSelectors } from './counts/default-selector.ts';
import { Carriers } from './filters/existing-anti-affinity.ts';
import { FreeVolumes } from './volumes/free-volumes.ts';
import { Groups } from './counts/groups.ts';
import { PortHolders } from './filters/host-ports.ts';
import { Lookup } from './counts/lookup.ts';
import { Attraction } from './filters/node-affinity.ts';
import type { FitOptions } from './options.ts';
import { Places } from './counts/places.ts';
import { Residents } from './counts/residents.ts';
import { Room } from './room.ts';
import { TermReader } from './counts/selection.ts';
import { SpreadScopes } from './counts/spread-scope.ts';
import { Tolerance } from './filters/taints.ts';
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
  readonly places: Places;
  readonly topology: Topology;
  readonly residents: Residents;
  readonly groups: Groups;
  readonly terms: TermReader;
  readonly carriers: Carriers;
  readonly room: Room;
  readonly ports: PortHolders;
  readonly claims: VolumeClaims;
  readonly volumeUsers: VolumeUsers;
  readonly attached: AttachedVolumes;
  readonly free: FreeVolumes;
  readonly tolerance: Tolerance;
  readonly attraction: Attraction;
  readonly scopes: SpreadScopes;
  readonly defaultSelectors: DefaultSelectors;
}

/** The state at the beginning of a cycle: nothing promised. */
export function createState(snapshot: Snapshot, options: FitOptions): State {
  const warnings = new Warnings(snapshot);
  const places = new Places(snapshot);
  const topology = new Topology(places);
  const residents = new Residents(snapshot, places);
  const terms = new TermReader(snapshot, warnings);
  const claims = new VolumeClaims(snapshot, warnings);
  const tolerance = new Tolerance(places);
  const attraction = new Attraction(places);
  // Counts ask the lookup when they are made, so it must hear of a change before the groups do.
  const lookup = residents.follow(new Lookup());
  return {
    ...{ snapshot, options, warnings, places, topology, residents, terms },
    groups: residents.follow(new Groups(lookup)),
    carriers: residents.follow(new Carriers(terms, topology)),
    room: residents.follow(new Room(places)),
    ports: residents.follow(new PortHolders()),
    ...{ claims, tolerance, attraction },
    volumeUsers: residents.follow(new VolumeUsers()),
    attached: residents.follow(new AttachedVolumes(snapshot, places, claims)),
    free: new FreeVolumes(snapshot),
    defaultSelectors: new DefaultSelectors(snapshot, warnings),
    scopes: new SpreadScopes({ places, topology, attraction, tolerance }),
  };
}
