import type { DisruptionBudget } from '../cluster/kinds.ts';
import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';

/** The pod stays. `scope` says how far the refusal reaches, `by` names the constraint or limit. */
export interface Refused {
  readonly granted: false;
  readonly scope: 'pod' | 'node' | 'namespace' | 'total';
  readonly by: string;
  readonly reason: string;
  /** Set by limits that do not concern this pod alone: what one notice is enough for. */
  readonly notice?: string;
}

/** The pod may go; `destination` is the best node for its replacement, of those that were offered. */
export interface Allowed {
  readonly granted: true;
  readonly destination?: Node;
}

/** The pod goes, and everything it uses up is booked. */
export interface Granted extends Allowed {
  readonly pod: Pod;
  /**
   * On how many other nodes it fitted, and the likely ones of all nodes, its own too, by name, at most 10 (cli.md,
   * scheduler.md 4.4).
   */
  readonly destinations: number;
  readonly likelyNodes: readonly string[];
  /** The budget this eviction is taken from. */
  readonly budget?: DisruptionBudget;
}

/** None of the pods go, because this one has to stay. */
export interface RefusedTogether {
  readonly pod: Pod;
  readonly refused: Refused;
}
