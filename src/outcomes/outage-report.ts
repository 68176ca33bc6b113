/** What can stand in the timeline of an outage. */
export type OutageEvent =
  | 'NodeNotReady'
  | 'NodeReady'
  | 'ZoneState'
  | 'TaintAdded'
  | 'TaintRemoved'
  | 'LabelsReconciled'
  | 'PodMarkedNotReady'
  | 'EvictionScheduled'
  | 'EvictionCancelled'
  | 'PodDeleted';

/** One line of the timeline; the keys are those of the JSON report. */
export interface TimelineEntry {
  /** From the start, as Go writes durations. */
  readonly at: string;
  readonly event: OutageEvent;
  readonly node?: string;
  /** `region:zone`, empty for nodes without either. */
  readonly zone?: string;
  /** `namespace/name`. */
  readonly pod?: string;
  /** A taint, a zone's state, or the reason. */
  readonly detail?: string;
}

/** What became of a pod whose node was not ready or had a NoExecute taint at some time. */
export interface PodResult {
  readonly pod: string;
  readonly node: string;
  readonly zone: string;
  readonly podResult: 'deleted' | 'stays';
  /** When it was deleted, from the start. */
  readonly at?: string;
  /** Completes "pod X …". */
  readonly reason: string;
}

/** A zone from this moment on, until the next sample. */
export interface ZoneSample {
  /** Milliseconds from the start. */
  readonly atMs: number;
  readonly ready: number;
  readonly notReady: number;
  /** Nodes with a NoExecute taint. */
  readonly tainted: number;
  /** Pods deleted in this zone so far. */
  readonly podsDeleted: number;
}

/** How a zone fared. */
export interface ZoneTimeSeries {
  readonly zone: string;
  readonly nodes: number;
  /** In order of time; the first is the start. */
  readonly samples: readonly ZoneSample[];
}

/** What an outage would do to a cluster; `report/` renders it, the first two parts are the JSON report. */
export interface OutageReport {
  readonly timeline: readonly TimelineEntry[];
  readonly summary: {
    readonly podsDeleted: number;
    readonly nodesTainted: number;
    /** Left out if nothing was deleted. */
    readonly lastDeletionAt?: string;
  };
  readonly durationMs: number;
  readonly cluster: { readonly nodes: number; readonly pods: number };
  /** By time of going, then by name. */
  readonly pods: readonly PodResult[];
  /** By name. */
  readonly zones: readonly ZoneTimeSeries[];
  /** What the scenario asked for that could not be done. */
  readonly warnings: readonly string[];
}
