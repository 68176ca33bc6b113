import assert from 'node:assert/strict';
import type { DisruptionBudget } from '../../src/cluster/objects/kinds.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { predictBudget } from '../../src/evictor/budgets.ts';
import * as given from '../builders/cluster.ts';

const ready = given.status({ conditions: [given.condition('Ready', 'True')] });
const unready = given.status({ conditions: [given.condition('Ready', 'False')] });
const web = (over: Partial<DisruptionBudget> = {}) => given.budget('web', '', over);

interface Row {
  readonly row: string;
  readonly pod: Pod;
  readonly budgets: readonly DisruptionBudget[];
  readonly spent?: number;
  /** `free`, `taken from <budget>`, or the reason of the refusal. */
  readonly answer: string;
}

const rows: readonly Row[] = [
  { row: 'no budget', pod: given.pod('p', ready), budgets: [], answer: 'free' },
  { row: 'a ready pod and room', pod: given.pod('p', ready), budgets: [web()], answer: 'taken from web' },
  {
    row: 'room for two, one spent',
    pod: given.pod('p', ready),
    budgets: [web({ disruptionsAllowed: 2 })],
    spent: 1,
    answer: 'taken from web',
  },
  {
    row: 'room for two, both spent',
    pod: given.pod('p', ready),
    budgets: [web({ disruptionsAllowed: 2 })],
    spent: 2,
    answer:
      'is guarded by PodDisruptionBudget web, which allowed 2 disruptions, taken by earlier evictions of this cycle',
  },
  {
    row: 'no room',
    pod: given.pod('p', ready),
    budgets: [web({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 })],
    answer:
      'is guarded by PodDisruptionBudget web, which allows no disruption now: 2 of its pods are healthy and 2 must be',
  },
  {
    row: 'less than no room',
    pod: given.pod('p', ready),
    budgets: [web({ disruptionsAllowed: -1 })],
    answer: 'is guarded by PodDisruptionBudget web, whose disruptionsAllowed is -1',
  },
  {
    row: 'two budgets, though both have room',
    pod: given.pod('p', ready),
    budgets: [given.budget('by-app', ''), given.budget('by-tier', '')],
    answer:
      'is covered by 2 PodDisruptionBudgets, by-app and by-tier; the eviction API refuses pods with more than one',
  },
  {
    row: 'two budgets do not matter for a pending pod',
    pod: given.pod('p', given.phase('Pending')),
    budgets: [given.budget('by-app', ''), given.budget('by-tier', '')],
    answer: 'free',
  },
  ...['Pending', 'Succeeded', 'Failed'].map((phase) => ({
    row: `a pod in phase ${phase} needs no budget`,
    pod: given.pod('p', given.phase(phase)),
    budgets: [web({ disruptionsAllowed: 0, desiredHealthy: 5 })],
    answer: 'free',
  })),
  {
    row: 'a terminating pod needs no budget',
    pod: given.pod('p', ready, given.terminating),
    budgets: [web({ disruptionsAllowed: 0 })],
    answer: 'free',
  },
  {
    row: 'an unready pod goes for free while enough are healthy',
    pod: given.pod('p', unready),
    budgets: [web({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 })],
    answer: 'free',
  },
  {
    row: 'IfHealthyBudget is the default by name, too',
    pod: given.pod('p', unready),
    budgets: [
      web({
        disruptionsAllowed: 0,
        currentHealthy: 2,
        desiredHealthy: 2,
        unhealthyPodEvictionPolicy: 'IfHealthyBudget',
      }),
    ],
    answer: 'free',
  },
  {
    row: 'a pod without a Ready condition is not ready',
    pod: given.pod('p'),
    budgets: [web({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 })],
    answer: 'free',
  },
  {
    row: 'an unready pod stays when too few are healthy',
    pod: given.pod('p', unready),
    budgets: [web({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 })],
    answer:
      'is guarded by PodDisruptionBudget web, which allows no disruption now: 1 of its pods are healthy and 2 must be',
  },
  {
    row: 'a budget that wants none healthy lets an unready pod go only on its account',
    pod: given.pod('p', unready),
    budgets: [web({ disruptionsAllowed: 1, currentHealthy: 0, desiredHealthy: 0 })],
    answer: 'taken from web',
  },
  {
    row: 'healthy pods evicted in this cycle are healthy no more',
    pod: given.pod('p', unready),
    budgets: [web({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 2 })],
    spent: 1,
    answer:
      'is guarded by PodDisruptionBudget web, which allowed 1 disruption, taken by earlier evictions of this cycle',
  },
  {
    row: 'AlwaysAllow lets an unready pod go in any case',
    pod: given.pod('p', unready),
    budgets: [
      web({
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 2,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      }),
    ],
    answer: 'free',
  },
  {
    row: 'AlwaysAllow does nothing for a ready pod',
    pod: given.pod('p', ready),
    budgets: [web({ disruptionsAllowed: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
    answer:
      'is guarded by PodDisruptionBudget web, which allows no disruption now: 2 of its pods are healthy and 1 must be',
  },
  {
    row: 'a changed budget that is not processed yet',
    pod: given.pod('p', ready),
    budgets: [web({ generation: 2, observedGeneration: 1 })],
    answer:
      'is guarded by PodDisruptionBudget web, whose latest change the disruption controller has not processed yet',
  },
  {
    row: 'a budget without a status',
    pod: given.pod('p', ready),
    budgets: [web({ hasStatus: false, generation: undefined, observedGeneration: undefined })],
    answer:
      'is guarded by PodDisruptionBudget web, whose latest change the disruption controller has not processed yet',
  },
  {
    row: 'too many evictions that nobody has confirmed',
    pod: given.pod('p', ready),
    budgets: [web({ disruptedPods: Array.from({ length: 2001 }, (_, index) => `p-${index}`) })],
    answer: 'is guarded by PodDisruptionBudget web, which waits for 2001 earlier evictions to be confirmed',
  },
];

describe('the predicted verdict of the eviction API', () => {
  for (const { row, pod, budgets, spent = 0, answer } of rows) {
    it(row, () => {
      const verdict = predictBudget(pod, budgets, () => spent);
      const said = verdict.allowed ? (verdict.spends ? `taken from ${verdict.spends.name}` : 'free') : verdict.reason;
      assert.equal(said, answer);
    });
  }
});
