import type { Node } from '../../cluster/objects/node.ts';
import type { Candidate } from '../candidate.ts';

/** Why a pod does not fit a node: the code of rule S3 and words with concrete values. */
export interface FilterFailure {
  readonly code: string;
  readonly text: string;
}

/** How many nodes do not fit for one reason. */
export interface FailureCount {
  readonly code: string;
  readonly count: number;
  /** One of them: the first where room is kept for others, if there is such a node, else the first. */
  readonly example: Node;
  /** The example lacks a resource of which pods that are not there yet keep some. */
  readonly kept: boolean;
}

/**
 * A rule's answer about one candidate, node by node; nodes are places (indexes into `Places.nodes`). `passes` is asked
 * for thousands of nodes, the words only where somebody reads them.
 */
export interface Check {
  passes(nodeIndex: number): boolean;
  /** Codes of all reasons, in the scheduler's order; only asked about places that do not pass. */
  codes(nodeIndex: number): readonly string[];
  /** The words for one of these codes. */
  text(nodeIndex: number, code: string): string;
  /** The same as `passes`, for all places at once: clears the flags of those that do not pass. */
  exclude?(flags: Uint8Array): void;
}

/** One plugin of the scheduler (rule S2). */
export interface Rule {
  /**
   * What the check depends on besides the nodes. `node`: on the candidate's spec and namespace and on the assigned pods of
   * the very node, so that pods with equal specs share one answer until somebody comes or goes there. `domain`: it is
   * cheap to make and to ask. Otherwise: anything.
   */
  readonly scope?: 'node' | 'domain';
  /** What the scheduler decides before it looks at a node: a reason to refuse the pod as a whole. */
  readonly refuse?: (candidate: Candidate) => FilterFailure | undefined;
  /** The rule for this candidate; undefined if it has nothing to say about any node. */
  readonly check?: (candidate: Candidate) => Check | undefined;
}

/** A check with a single reason. */
export function singleCheck(code: string, passes: Check['passes'], text: (nodeIndex: number) => string): Check {
  const codes = [code];
  return { passes, codes: () => codes, text };
}
