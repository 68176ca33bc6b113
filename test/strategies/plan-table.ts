import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import type { Strategy } from '../../src/strategies/strategy.ts';
import { node, sized } from '../builders/cluster.ts';
import { runStrategy, type Setting } from './run-strategy.ts';

/** One row of a table: a cluster, a policy, and all that must come out; what is left out is empty. */
export interface Row extends Setting {
  /** The spec's id and what the row is about. */
  readonly row: string;
  readonly cluster: Snapshot;
  readonly evictions?: readonly string[];
  readonly refusals?: readonly string[];
  readonly notes?: readonly string[];
  /** How many pods the reference evicts, where that differs from ours. */
  readonly reference?: number;
}

/** A ready node with room for nothing: a cycle needs two nodes, and this one changes nothing (rule T8). */
export const SPARE: Node = node('spare', sized(0, 0, 0));

/** Makes a test of every row. */
export function planTable<Args>(strategy: Strategy<Args>, rows: readonly Row[]): void {
  for (const { row, cluster, evictions = [], refusals = [], notes = [], reference, ...setting } of rows) {
    const name = reference === undefined ? row : `${row} (reference ${reference}, ours ${evictions.length})`;
    it(name, async () => {
      const plan = await runStrategy(strategy, cluster, setting);
      const outcome = { evictions: plan.evictions, refusals: plan.refusals, notes: plan.notes };
      assert.deepEqual(outcome, { evictions, refusals, notes });
      if (reference !== undefined) assert.notEqual(plan.evictions.length, reference, 'a row that deviates');
    });
  }
}
