/** How node health is judged and how fast nodes may be tainted; the flags of kube-controller-manager and two of ours. */
export interface LifecycleOptions {
  /** From the end of one pass over all nodes to the start of the next, in ms. */
  readonly monitorPeriodMs: number;
  /** How long a node with a Ready condition may go without a sign of life, in ms. */
  readonly monitorGraceMs: number;
  /** The same for a node that never had one, in ms. */
  readonly startupGraceMs: number;
  /** Nodes a second that may be tainted NoExecute in a zone; 0 is none. */
  readonly evictionRate: number;
  /** The same in a large zone that is partly down. */
  readonly secondaryEvictionRate: number;
  /** Share of nodes not ready from which a zone counts as partly down. */
  readonly unhealthyZoneThreshold: number;
  /** A zone with more nodes than this is large. */
  readonly largeClusterSizeThreshold: number;
  /**
   * What a zone that is partly down does to its tainted nodes: `keep` leaves their taints at work, `pause` taints no more
   * and holds evictions back, `untaint` takes the taints off as well.
   */
  readonly partialDisruption: 'keep' | 'pause' | 'untaint';
  /** How a zone that is wholly down, while others live, is evicted. */
  readonly fullDisruption: 'normal' | 'secondary' | 'stop';
}

/** The defaults of kube-controller-manager (https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/); ours are as it behaves. */
export const LIFECYCLE_DEFAULTS: LifecycleOptions = {
  monitorPeriodMs: 5_000,
  monitorGraceMs: 50_000,
  startupGraceMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
  partialDisruption: 'keep',
  fullDisruption: 'normal',
};
