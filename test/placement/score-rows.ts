import assert from 'node:assert/strict';
import type { OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node, NodeImage } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { requestsOf } from '../../src/cluster/amounts/requests.ts';
import { createPlacement, type FitOptions } from '../../src/placement/fit.ts';
import { Ranking } from '../../src/placement/score.ts';
import { DEFAULT_SCORING, type Scoring } from '../../src/placement/scores/scorer.ts';
import { createState } from '../../src/placement/state.ts';
import { snapshot, type Part } from '../builders/cluster.ts';

/** Scores by node. */
export type Scores = Readonly<Record<string, number>>;

/** A row of rule S20, or one of ours. */
export interface ScoreRow {
  readonly id: string;
  readonly cluster: readonly (Node | Pod | OtherKinds[OtherKind])[];
  /** The pod to place; no resident of the cluster. */
  readonly pod: Pod;
  readonly options?: FitOptions;
  readonly scoring?: Scoring;
  /** By plugin, the normalised score of every node, or that it is left out. */
  readonly plugins?: Readonly<Record<string, Scores | 'left out'>>;
  /** The weighted sum. */
  readonly total?: Scores;
}

/** Runs the rows, one test each: the plugins that a row names, and its total by way of the prediction. */
export function scoreRows(rows: readonly ScoreRow[]): void {
  for (const row of rows) {
    it(row.id, () => {
      const cluster = snapshot(...row.cluster);
      const given = pluginScores(row);
      for (const [name, scores] of Object.entries(row.plugins ?? {})) assert.deepEqual(given[name], scores, name);
      if (row.total) {
        const prediction = createPlacement(cluster, row.options).predict(row.pod, row.scoring);
        const totals = Object.fromEntries(cluster.nodes.map((node) => [node.name, prediction.total(node)]));
        assert.deepEqual(totals, row.total);
        const highest = Math.max(...Object.values(row.total));
        const likely = Object.keys(row.total).filter((name) => row.total?.[name] === highest);
        assert.deepEqual(
          prediction.likely.map(({ name }) => name),
          likely,
        );
      }
    });
  }
}

function pluginScores({
  cluster,
  pod,
  options = {},
  scoring = DEFAULT_SCORING,
}: ScoreRow): Readonly<Record<string, Scores | 'left out'>> {
  const state = createState(snapshot(...cluster), options);
  const candidate = { pod, spec: pod.spec, needs: requestsOf(pod.spec), changes: [] };
  const given = new Ranking(state).scorers(scoring).map(({ name, score }): readonly [string, Scores | 'left out'] => {
    const values = new Float64Array(state.nodeIndexes.count).fill(NaN);
    if (!score(candidate, state.nodeIndexes.all, values)) return [name, 'left out'];
    return [
      name,
      Object.fromEntries(state.nodeIndexes.nodes.map((node, nodeIndex) => [node.name, values[nodeIndex] ?? NaN])),
    ];
  });
  return Object.fromEntries(given);
}

/** The node has pulled an image of so many MiB. */
export function hasImage(name: string, mib: number): Part<Node> {
  const image: NodeImage = { names: [name], sizeBytes: mib * 2 ** 20 };
  return (before) => ({ ...before, images: [...before.images, image] });
}
