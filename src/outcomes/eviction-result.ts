/**
 * How a granted eviction ended: a closed union that the port returns. What follows from each is `CONSEQUENCES`, which
 * nothing but the end of an eviction, the report and the metrics read.
 */
export type EvictionResult =
  /** A dry run asks nobody. */
  | 'would-evict'
  | 'evicted'
  /** Another actor has taken over and moves the pod in the background. */
  | 'requested'
  /** 429 with the cause DisruptionBudget. */
  | 'refused-by-budget'
  /** 429 without that cause, again and again: the API server has too much to do. */
  | 'overloaded'
  /** Somebody else has removed the pod: 404, or another UID has its name. */
  | 'gone'
  /** An answer that no second try would change: 403, 400, 422, 500 for two budgets. */
  | 'rejected'
  /** Nobody knows: no answer by the deadline, or the run was ended before it came. */
  | 'uncertain'
  /** Nothing was asked: the run was ended, there was no way to the server, or the history that limits need could not be written. */
  | 'not-started';

/** The results that leave the pod where it is, or may. */
export type EvictionFailure = Exclude<EvictionResult, 'would-evict' | 'evicted' | 'requested'>;

/** What the port answers. `error` says in words why the pod was not evicted, or may not have been. */
export type EvictionEnding =
  | { readonly result: Exclude<EvictionResult, EvictionFailure> }
  | { readonly result: EvictionFailure; readonly error: string };

/** What follows from a result. */
export interface Consequences {
  /** Of the cycle's limits: `kept` is spent for good. */
  readonly limits: 'kept' | 'given-back';
  /** For limits that look beyond the cycle. */
  readonly history: 'eviction' | 'block' | 'nothing';
  /**
   * The rest of the cycle sees the victim `leaving` with a replacement assumed, `gone` without one, or `as-before`.
   */
  readonly victim: 'leaving' | 'gone' | 'as-before';
  /** The word of the report, and what its summary counts the eviction under. */
  readonly report: 'evicted' | 'failed' | 'gone' | 'uncertain';
  /** Whether the run ends with exit code 1. */
  readonly failsRun: boolean;
  /** Value of the metric's label `result`; a dry run counts nothing. */
  readonly metric: string | undefined;
}

const TAKEN = { limits: 'kept', history: 'eviction', victim: 'leaving', report: 'evicted', failsRun: false } as const;
const KEPT_BACK = { limits: 'given-back', history: 'nothing', victim: 'as-before', report: 'failed' } as const;
const FAULT = { ...KEPT_BACK, failsRun: true, metric: 'error' } as const;

/** The one table of what every result means. An `uncertain` eviction counts everywhere, since the pod may be leaving. */
export const CONSEQUENCES: Readonly<Record<EvictionResult, Consequences>> = {
  'would-evict': { ...TAKEN, metric: undefined },
  evicted: { ...TAKEN, metric: 'success' },
  requested: { ...TAKEN, metric: 'requested' },
  'refused-by-budget': { ...KEPT_BACK, history: 'block', failsRun: false, metric: 'error' },
  overloaded: FAULT,
  gone: { ...KEPT_BACK, victim: 'gone', report: 'gone', failsRun: false, metric: 'gone' },
  rejected: FAULT,
  uncertain: { ...TAKEN, report: 'uncertain', failsRun: true, metric: 'uncertain' },
  'not-started': FAULT,
};

/** Whether the result leaves the pod where it is, or may. */
export function isFailure(ending: EvictionEnding): ending is Extract<EvictionEnding, { readonly error: string }> {
  return 'error' in ending;
}
