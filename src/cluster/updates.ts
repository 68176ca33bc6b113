/** One pod, this very one: a namesake has another UID. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A condition of a node or pod as we write it. Times in ms since the epoch; what is left out stays as the API has it. */
export interface ConditionUpdate {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly transitionAt: number;
  readonly heartbeatAt?: number;
  readonly observedGeneration?: number;
}

/** An event on a node or pod, in the words that dashboards of the Go descheduler match on. */
export interface ObjectEvent {
  readonly regarding: {
    readonly kind: 'Node' | 'Pod';
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/**
 * A moment as the API writes times, in whole seconds, rounded up: a taint's `timeAdded` that is late by less than a second
 * never ends a countdown too early. Moments that no calendar has become the last one that it has.
 */
export function apiTime(ms: number): string {
  const seconds = Math.min(Math.ceil(ms / 1000), LAST_SECOND);
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** 9999-12-31T23:59:59Z: years of five digits are no RFC 3339. */
const LAST_SECOND = 253_402_300_799;
