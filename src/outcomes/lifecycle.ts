import type { Pod } from '../cluster/objects/pod.ts';

/** What the node-lifecycle and taint-eviction controllers do and find: logs, metrics and the outage report live from it. */
export type LifecycleOutcome = PodOutcome | NodeOutcome;

/** What becomes of a pod on a node with NoExecute taints. `reason` completes the sentence "pod X …". Times in ms. */
export type PodOutcome =
  /** Its tolerated time has an end, at `at`; said again whenever that moment changes. */
  | {
      readonly kind: 'eviction-scheduled';
      readonly pod: Pod;
      readonly at: number;
      readonly reason: string;
      /** False if `timeAdded` is missing or cannot be right: the time counts from our first sight of the taint. */
      readonly isStartKnown: boolean;
    }
  | { readonly kind: 'eviction-cancelled'; readonly pod: Pod; readonly reason: string }
  /** It stays although its node is tainted. */
  | { readonly kind: 'pod-kept'; readonly pod: Pod; readonly reason: string }
  | {
      readonly kind: 'pod-deleted';
      readonly pod: Pod;
      readonly reason: string;
      readonly result: 'deleted' | 'evicted' | 'would-delete';
      /** From the moment the pod should have gone to the API server's answer, in ms. */
      readonly lateMs: number;
    }
  /** Not deleted yet; it is tried again until the reason is gone. */
  | { readonly kind: 'deletion-failed'; readonly pod: Pod; readonly failure: string; readonly error: string };

/** What becomes of a node or zone. `zone` is `region:zone`, empty for nodes without either. */
export type NodeOutcome =
  | { readonly kind: 'node-ready'; readonly node: string; readonly zone: string }
  | { readonly kind: 'node-not-ready'; readonly node: string; readonly zone: string; readonly status: string }
  /** `taint` as `key=value:Effect`. `isLimited`: a token of its zone was spent on it. */
  | {
      readonly kind: 'taint-added';
      readonly node: string;
      readonly zone: string;
      readonly taint: string;
      readonly isLimited: boolean;
    }
  | { readonly kind: 'taint-removed'; readonly node: string; readonly zone: string; readonly taint: string }
  | { readonly kind: 'labels-reconciled'; readonly node: string; readonly zone: string; readonly labels: string }
  | { readonly kind: 'pod-marked-not-ready'; readonly pod: Pod; readonly node: string }
  | {
      readonly kind: 'zone-state';
      readonly zone: string;
      readonly state: string;
      readonly ready: number;
      readonly notReady: number;
    }
  /** No node of any zone is ready (`true`), so that nothing is tainted and all such taints are removed; or one is again. */
  | { readonly kind: 'full-disruption'; readonly isFullDisruption: boolean }
  /** The cache is behind the API server: no node is marked Unknown in this pass. */
  | { readonly kind: 'stale-cache'; readonly node: string }
  /** A write or read failed; it is tried again. `what` completes "could not …". */
  | { readonly kind: 'call-failed'; readonly node: string; readonly what: string; readonly error: string };

/** Receives what the controllers do and find, at once and in order. */
export type ObserveLifecycle = (outcome: LifecycleOutcome) => void;
