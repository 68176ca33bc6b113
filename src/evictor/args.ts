import type { LabelSelector, Requirement } from '../cluster/selectors.ts';

/** The protections that can be on (framework.md 2.1), by their policy names. */
export type Protection =
  | 'PodsWithLocalStorage'
  | 'SystemCriticalPods'
  | 'FailedBarePods'
  | 'DaemonSetPods'
  | 'PodsWithPVC'
  | 'PodsWithoutPDB'
  | 'PodsWithResourceClaims';

/** Checked arguments of DefaultEvictor, legacy flags already turned into protections. */
export interface DefaultEvictorArgs {
  readonly nodeFit: boolean;
  readonly nodeSelector: readonly Requirement[] | undefined;
  readonly labelSelector: LabelSelector | undefined;
  readonly namespaceLabelSelector: LabelSelector | undefined;
  /** By value, or the name of a PriorityClass that is looked up in every cycle; undefined is 2,000,000,000. */
  readonly priorityThreshold: { readonly value: number } | { readonly name: string } | undefined;
  /** 0 and 1 switch the check off. */
  readonly minReplicas: number;
  readonly minPodAgeMs: number | undefined;
  readonly noEvictionPolicy: 'Preferred' | 'Mandatory';
  readonly protections: ReadonlySet<Protection>;
  readonly protectedStorageClasses: readonly string[];
  /** Settings as the policy names them, for hints: whether legacy flags or podProtections were used. */
  readonly legacyFlags: boolean;
}
