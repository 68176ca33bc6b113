import { podName, type Pod } from '../cluster/objects/pod.ts';
import { visible } from '../lib/visible.ts';
import type { LifecycleOutcome } from '../outcomes/lifecycle.ts';

/** What an outcome says, and how much it matters: `debug` is for who wants everything. */
export interface LifecycleLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/** An outcome as a sentence. In `observe` nothing has been done, so it says what would be. */
export function lifecycleLine(outcome: LifecycleOutcome, mode: 'observe' | 'act'): LifecycleLine {
  return { level: levelOf(outcome), message: visible(messageOf(outcome, mode === 'act' ? '' : 'would be ')) };
}

/** An outcome as a JSON object of one line. */
export function lifecycleRecord(outcome: LifecycleOutcome, mode: 'observe' | 'act', at: number): object {
  const { kind, ...rest } = outcome;
  const facts: Record<string, unknown> = { ...rest };
  if ('pod' in outcome) Object.assign(facts, podFacts(outcome.pod));
  if (kind === 'eviction-scheduled') {
    facts['goesAt'] = deadlineTime(outcome.at);
    delete facts['at'];
  }
  return {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'LifecycleOutcome',
    at: isoTime(at),
    mode,
    outcome: kind,
    ...facts,
  };
}

/** A pod that will go if nothing changes. */
export interface PendingPod {
  readonly pod: Pod;
  readonly at: number;
  readonly reason: string;
}

/** The most that the text lists. */
const MOST_LISTED = 50;

/** Who would go when, soonest first: the last words of a run. */
export function pendingText(pending: readonly PendingPod[]): string {
  if (pending.length === 0) return 'No pod is due for deletion.\n';
  const lines = pending
    .slice(0, MOST_LISTED)
    .map(({ pod, at, reason }) => visible(`  ${deadlineTime(at)}  ${podName(pod)} on ${pod.nodeName}: ${reason}`));
  const more = pending.length > MOST_LISTED ? [`  … and ${pending.length - MOST_LISTED} more`] : [];
  const head = pending.length === 1 ? '1 pod will be deleted' : `${pending.length} pods will be deleted`;
  return [`${head} if nothing changes:`, ...lines, ...more, ''].join('\n');
}

/** The same as one JSON object. */
export function pendingRecord(pending: readonly PendingPod[], at: number): object {
  const pods = pending.map(({ pod, at: goesAt, reason }) => ({
    ...podFacts(pod),
    goesAt: deadlineTime(goesAt),
    reason,
  }));
  return { apiVersion: 'evenkeel.io/v1alpha1', kind: 'LifecycleSummary', at: isoTime(at), pending: pods };
}

function podFacts({ namespace, name, uid, nodeName }: Pod) {
  return { namespace, pod: name, uid, node: nodeName };
}

function levelOf({ kind }: LifecycleOutcome): LifecycleLine['level'] {
  if (kind === 'pod-kept') return 'debug';
  if (kind === 'deletion-failed' || kind === 'call-failed' || kind === 'stale-cache') return 'warn';
  return kind === 'full-disruption' ? 'warn' : 'info';
}

/** `would`: "would be " where nothing is done, else nothing. */
function messageOf(outcome: LifecycleOutcome, would: string): string {
  return 'pod' in outcome ? podMessage(outcome, would) : nodeMessage(outcome, would);
}

function podMessage(outcome: Extract<LifecycleOutcome, { pod: Pod }>, would: string): string {
  const pod = podName(outcome.pod);
  const on = outcome.pod.nodeName;
  switch (outcome.kind) {
    case 'eviction-scheduled': {
      const unsure = outcome.isStartKnown ? '' : ' (counted from now: its timeAdded is missing or cannot be right)';
      return `${pod} on ${on} ${would === '' ? 'will be ' : would}deleted at ${deadlineTime(outcome.at)}: it ${outcome.reason}${unsure}`;
    }
    case 'eviction-cancelled':
      return `${pod} is not deleted: it ${outcome.reason}`;
    case 'pod-kept':
      return `${pod} on ${on} is kept: it ${outcome.reason}`;
    case 'pod-deleted': {
      const done = outcome.result === 'would-delete' ? 'would be deleted' : outcome.result;
      return `${pod} on ${on} ${done}: it ${outcome.reason} (${outcome.lateMs} ms late)`;
    }
    case 'deletion-failed':
      return `${pod} on ${on} is not deleted yet (${outcome.failure}): ${outcome.error}`;
    case 'pod-marked-not-ready':
      return `${pod} ${would}marked not ready: node ${outcome.node} is not`;
  }
}

function nodeMessage(outcome: Exclude<LifecycleOutcome, { pod: Pod }>, would: string): string {
  switch (outcome.kind) {
    case 'node-ready':
      return `node ${outcome.node} is ready again`;
    case 'node-not-ready':
      return `node ${outcome.node} is not ready: its status is ${outcome.status}`;
    case 'taint-added':
      return `node ${outcome.node} ${would}tainted ${outcome.taint}`;
    case 'taint-removed':
      return `node ${outcome.node} ${would}freed of ${outcome.taint}`;
    case 'labels-reconciled':
      return `node ${outcome.node} ${would}labelled ${outcome.labels}`;
    case 'zone-state': {
      const { zone, state, ready, notReady } = outcome;
      return `zone ${zone === '' ? '(none)' : zone} is ${state}: ${ready} nodes ready, ${notReady} not`;
    }
    case 'full-disruption':
      return outcome.isFullDisruption
        ? 'no node of any zone is ready: nothing is tainted until one is'
        : 'a zone is ready again: nodes are judged afresh';
    case 'stale-cache':
      return `node ${outcome.node} looks unresponsive in the cache, but not to the API server: no node is marked Unknown in this pass`;
    case 'call-failed':
      return `could not ${outcome.what}${outcome.node === '' ? '' : ` (node ${outcome.node})`}: ${outcome.error}`;
  }
}

/** To the second, as the API writes times: wall and monotonic clock tick up to a millisecond apart. */
function deadlineTime(ms: number): string {
  return isoTime(Math.round(ms / 1000) * 1000);
}

function isoTime(ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : 'never';
}
