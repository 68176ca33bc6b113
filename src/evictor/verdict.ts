import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { Reservation } from './reservation.ts';

/** The pod stays. `scope` says how far the refusal reaches, `by` names the constraint or limit. */
export interface Refused {
  readonly granted: false;
  readonly scope: 'pod' | 'node' | 'namespace' | 'total';
  readonly by: string;
  readonly reason: string;
  /** Set by limits that do not concern this pod alone: what one notice is enough for. */
  readonly notice?: string;
  /** Its budget had no room when the cycle began, which limits remember; one that this cycle has used up is no block. */
  readonly isBlocked?: true;
}

/** The pod may go; `destination` is the best node for its replacement, of those that were offered. */
export interface Allowed {
  readonly granted: true;
  readonly destination?: Node;
}

/** The pod goes, and everything it uses up is reserved. */
export interface Granted extends Allowed {
  readonly reservation: Reservation;
}

/** None of the pods go, because this one has to stay. */
export interface RefusedTogether {
  readonly pod: Pod;
  readonly refused: Refused;
}
