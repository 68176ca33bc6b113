import { CONSEQUENCES } from '../outcomes/eviction-result.ts';
import type { Eviction } from '../outcomes/outcome.ts';
import type { Clock } from '../lib/clock.ts';
import { send, type Call } from './call.ts';

/** Who speaks in events: users' dashboards match on it (framework.md 3.6). */
const CONTROLLER = 'sigs.k8s.io.descheduler';

/** Most events waiting to be written; beyond that they are dropped, an eviction is never held up by them. */
const MOST_WAITING = 1_000;

/** An event to write, regarding one object. */
export interface ClusterEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  /** Who speaks; the descheduler by default. */
  readonly reportingController?: string;
  readonly regarding: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
}

/** What writes events. */
export interface EventWriter {
  /** Never waits and never fails. */
  write(event: ClusterEvent): void;
  /** Resolves when nothing is waiting any more, or after that time. */
  flush(ms: number): Promise<void>;
  /** Events that could not be written or were too many. */
  readonly dropped: () => number;
}

/** Events of events.k8s.io/v1, off the critical path: a few at a time, each tried once. */
export function createEventWriter(call: Call, clock: Clock, instance: string): EventWriter {
  const waiting: ClusterEvent[] = [];
  const idle: (() => void)[] = [];
  let busy = 0;
  let dropped = 0;
  let count = 0;
  const next = (): void => {
    const event = waiting.shift();
    if (!event) {
      if (busy === 0) for (const resolve of idle.splice(0)) resolve();
      return;
    }
    busy++;
    void send(call, callFor(event, { at: clock.wall(), instance, count: count++ })).then(({ ok }) => {
      busy--;
      if (!ok) dropped++;
      next();
    });
  };
  return {
    write(event) {
      if (waiting.length >= MOST_WAITING) dropped++;
      else waiting.push(event);
      if (busy < 4) next();
    },
    flush: (ms) =>
      busy === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            const cancel = clock.schedule(clock.now() + ms, resolve);
            idle.push(() => {
              cancel();
              resolve();
            });
          }),
    dropped: () => dropped,
  };
}

/** The event of an eviction, or of a failed one where the policy asks for those; undefined for a dry run. */
export function eventOf(eviction: Eviction, notifyFailures: boolean): ClusterEvent | undefined {
  const { pod, strategy, reason, result, error } = eviction;
  const regarding = { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid };
  if (result === 'would-evict') return undefined;
  const note = `pod eviction from ${pod.nodeName} node by sigs.k8s.io/descheduler`;
  if (error === undefined) {
    return { type: 'Normal', reason: strategy, action: 'Descheduled', note: `${note}: ${reason}`, regarding };
  }
  if (!notifyFailures || CONSEQUENCES[result].report === 'gone') return undefined;
  return {
    type: 'Warning',
    reason: 'EvictionFailed',
    action: 'Descheduled',
    note: `${note} failed: ${error}`,
    regarding,
  };
}

interface Stamp {
  readonly at: number;
  readonly instance: string;
  readonly count: number;
}

function callFor({ regarding, note, ...event }: ClusterEvent, { at, instance, count }: Stamp) {
  const namespace = regarding.namespace === '' ? 'default' : regarding.namespace;
  const suffix = `${at.toString(16)}${count.toString(16).padStart(4, '0')}`;
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${regarding.name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${suffix}`, namespace },
    eventTime: new Date(at).toISOString().replace('Z', '000Z'),
    reportingController: CONTROLLER,
    reportingInstance: instance.slice(0, 128),
    note: note.slice(0, 1024),
    regarding: { apiVersion: 'v1', ...regarding },
    ...event,
  };
  return {
    method: 'POST' as const,
    path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
    body,
    timeoutMs: 10_000,
  };
}
