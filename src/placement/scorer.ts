import type { Candidate } from './candidate.ts';

/** One scoring plugin of the scheduler (scheduler.md 3). */
export interface Scorer {
  readonly name: string;
  readonly weight: number;
  /** Normalised scores 0 to 100 of these places, in their order; undefined if the plugin is left out for the pod. */
  readonly scores: (candidate: Candidate, places: readonly number[]) => readonly number[] | undefined;
}
