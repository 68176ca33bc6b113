import type { Node } from '../../src/cluster/objects/node.ts';
import { podName, type Condition, type Pod } from '../../src/cluster/objects/pod.ts';
import type { ObjectEvent } from '../../src/cluster/updates.ts';
import type { ClusterStore } from '../../src/cluster/store.ts';
import { formatTaint } from '../../src/cluster/rules/taints.ts';
import { formatDuration, parseDuration } from '../../src/lib/duration.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { NodeLifecycleController } from '../../src/node-lifecycle/controller.ts';
import { LIFECYCLE_DEFAULTS, type LifecycleOptions } from '../../src/node-lifecycle/options.ts';
import type { NodeLifecyclePorts } from '../../src/node-lifecycle/ports.ts';
import type { LifecycleOutcome } from '../../src/outcomes/lifecycle.ts';
import { SimulatedApi, type ApiChange } from '../../src/outage/simulated-api.ts';
import { TaintEvictionController } from '../../src/taint-eviction/controller.ts';
import { TAINT_EVICTION_DEFAULTS, type TaintEvictionOptions } from '../../src/taint-eviction/options.ts';
import type { TaintEvictionPorts } from '../../src/taint-eviction/ports.ts';
import { CREATED, podsGivenWith, type Part } from '../builders/cluster.ts';

/** The start of every test's virtual time: a day after everything was created. */
export const START = CREATED + 86_400_000;

/** A moment of a test: `5m` after its start, `-200s` before it. */
export function at(duration: string): number {
  return START + (parseDuration(duration) ?? Number.NaN);
}

/** The same as the API writes times. */
export function stamp(duration: string): string {
  return new Date(at(duration)).toISOString().replace('.000Z', 'Z');
}

export interface WorldOptions {
  readonly lifecycle?: Partial<LifecycleOptions> | 'off';
  readonly eviction?: Partial<TaintEvictionOptions> | 'off';
  /** Puts faults in front of the simulated API. */
  readonly lifecyclePorts?: (ports: NodeLifecyclePorts) => Partial<NodeLifecyclePorts>;
  readonly evictionPorts?: (ports: TaintEvictionPorts) => Partial<TaintEvictionPorts>;
  /** Nodes whose kubelet renews no Lease from the start. */
  readonly unresponsive?: readonly string[];
  /** What stands in front of the Leases of the cache. */
  readonly leaseOf?: (name: string, api: SimulatedApi) => ReturnType<ClusterStore['lease']>;
}

/** Both controllers on a simulated cluster, and a log of everything that happens, one line each. */
export class World {
  /** Its faces lie far apart, so that whoever takes one for the other is found out. */
  readonly clock = new VirtualClock(0);
  readonly api: SimulatedApi;
  readonly log: string[] = [];
  readonly outcomes: LifecycleOutcome[] = [];
  readonly events: string[] = [];
  readonly #options: WorldOptions;
  store: ClusterStore | undefined;
  lifecycle: NodeLifecycleController | undefined;
  eviction: TaintEvictionController | undefined;

  constructor(things: readonly (Node | Pod)[], options: WorldOptions = {}) {
    this.#options = options;
    this.clock.step(START);
    const nodes = things.filter((thing) => thing.kind === 'Node');
    const pods = [...nodes.flatMap(podsGivenWith), ...things.filter((thing) => thing.kind === 'Pod')];
    this.api = new SimulatedApi({ nodes, pods, others: {} }, this.clock, (change) => this.#onChange(change));
    for (const { name } of nodes) if (!options.unresponsive?.includes(name)) this.api.kubelets.start(name, 0);
  }

  /** Starts the controllers on a store with everything there is. */
  start(): this {
    const store = this.api.watch();
    this.store = store;
    this.startLifecycle(store);
    this.startEviction(store);
    return this;
  }

  startLifecycle(store: ClusterStore): void {
    const { lifecycle, lifecyclePorts, leaseOf } = this.#options;
    if (lifecycle === 'off') return;
    const ports: NodeLifecyclePorts = { ...this.api.lifecyclePorts(), recordEvent: (event) => this.#onEvent(event) };
    this.lifecycle = new NodeLifecycleController({
      store,
      clock: this.clock,
      ports: { ...ports, ...lifecyclePorts?.(ports) },
      options: { ...LIFECYCLE_DEFAULTS, ...lifecycle },
      observe: (outcome) => this.#onOutcome(outcome),
      leaseOf: (name) => (leaseOf ? leaseOf(name, this.api) : this.api.kubelets.lease(name, this.clock.now())),
    });
    this.lifecycle.start();
  }

  startEviction(store: ClusterStore): void {
    const { eviction, evictionPorts } = this.#options;
    if (eviction === 'off') return;
    const ports: TaintEvictionPorts = { ...this.api.evictionPorts(), recordEvent: (event) => this.#onEvent(event) };
    this.eviction = new TaintEvictionController({
      store,
      clock: this.clock,
      ports: { ...ports, ...evictionPorts?.(ports) },
      options: { ...TAINT_EVICTION_DEFAULTS, ...eviction },
      observe: (outcome) => this.#onOutcome(outcome),
      isPaused: (name) => this.lifecycle?.isPaused(name) === true,
    });
    this.eviction.start();
  }

  /** Ends the controllers. */
  async stop(): Promise<void> {
    await Promise.all([this.lifecycle?.stop(), this.eviction?.stop()]);
    this.api.unwatch();
  }

  /** Ends the controllers and begins new ones after that time, which remember nothing. */
  async restart(downFor = '0s'): Promise<void> {
    await this.stop();
    await this.clock.advanceTo(this.clock.now() + (parseDuration(downFor) ?? 0));
    this.start();
  }

  /** Moves on to that time after the start. */
  async until(duration: string): Promise<this> {
    await this.clock.advanceTo(at(duration) - START);
    return this;
  }

  /** Changes a node as somebody else would. */
  node(name: string, ...parts: readonly Part<Node>[]): void {
    const node = this.api.node(name);
    if (node) this.api.putNode(parts.reduce((before, part) => part(before), node));
  }

  /** Changes a pod as somebody else would. */
  pod(name: string, ...parts: readonly Part<Pod>[]): void {
    const pod = this.api.podNamed('default', name);
    if (pod) this.api.putPod(parts.reduce((before, part) => part(before), pod));
  }

  /** The taints of a node, as text. */
  taints(name: string): readonly string[] {
    return (this.api.node(name)?.taints ?? []).map(formatTaint);
  }

  /** Lines of the log that begin with one of these words after their time. */
  logged(...words: readonly string[]): readonly string[] {
    return this.log.filter((line) => words.includes(line.split(' ')[1] ?? ''));
  }

  #note(text: string): void {
    this.log.push(`${formatDuration(this.clock.now())} ${text}`);
  }

  #onChange(change: ApiChange): void {
    if (change.kind === 'Pod' || !change.before || !change.after) return;
    const [was, is] = [change.before.taints.map(formatTaint), change.after.taints.map(formatTaint)];
    for (const taint of is) if (!was.includes(taint)) this.#note(`taint ${change.after.name} ${taint}`);
    for (const taint of was) if (!is.includes(taint)) this.#note(`untaint ${change.after.name} ${taint}`);
  }

  #onEvent({ type, reason, message, regarding }: ObjectEvent): void {
    this.events.push(`${type} ${reason} ${regarding.kind} ${regarding.uid}: ${message}`);
  }

  #onOutcome(outcome: LifecycleOutcome): void {
    this.outcomes.push(outcome);
    const line = lineOf(outcome, this.clock.now() - this.clock.wall());
    if (line !== undefined) this.#note(line);
  }
}

/** An outcome as a line of the log, by the monotonic clock; undefined for what the log shows otherwise. */
function lineOf(outcome: LifecycleOutcome, nowMinusWall: number): string | undefined {
  switch (outcome.kind) {
    case 'eviction-scheduled':
      return `scheduled ${podName(outcome.pod)} for ${formatDuration(outcome.at + nowMinusWall)}`;
    case 'eviction-cancelled':
      return `cancelled ${podName(outcome.pod)}: ${outcome.reason}`;
    case 'pod-deleted':
      return `${outcome.result} ${podName(outcome.pod)}`;
    case 'deletion-failed':
      return `failed ${podName(outcome.pod)}: ${outcome.failure}`;
    case 'pod-kept':
      return `kept ${podName(outcome.pod)}: ${outcome.reason}`;
    case 'pod-marked-not-ready':
      return `marked ${podName(outcome.pod)}`;
    case 'zone-state':
      return `zone ${outcome.zone || '-'} ${outcome.state} ${outcome.ready}/${outcome.notReady}`;
    case 'full-disruption':
      return outcome.isFullDisruption ? 'full-disruption' : 'recovered';
    case 'node-ready':
    case 'node-not-ready':
      return `${outcome.kind} ${outcome.node}`;
    case 'stale-cache':
      return `stale ${outcome.node}`;
    case 'call-failed':
      return `call-failed ${outcome.node}: could not ${outcome.what}`;
    default:
      return undefined;
  }
}

// ---------------------------------------------------------------- parts

/** Ready with that status; heartbeat and transition at that moment. */
export function ready(status: string, since = '-24h', heartbeat = since): Part<Node> {
  return set({ type: 'Ready', status, reason: '', transitionAt: at(since), heartbeatAt: at(heartbeat) });
}

/** A condition of a node instead of the one of its type. */
export function set(condition: Condition): Part<Node> {
  return (before) => ({
    ...before,
    conditions: [...before.conditions.filter(({ type }) => type !== condition.type), condition],
  });
}

/** No conditions at all. */
export const silentFromBirth: Part<Node> = (before) => ({ ...before, conditions: [] });

/** In that region and zone. */
export function inZone(region: string, zone: string): Part<Node> {
  return (before) => ({
    ...before,
    labels: {
      ...before.labels,
      'topology.kubernetes.io/region': region,
      'topology.kubernetes.io/zone': zone,
    },
  });
}

/** A taint, `key=value:Effect`, added at that moment, or that does not say when. */
export function tainted(text: string, since?: string): Part<Node> {
  const [, key = '', value = '', effect = ''] = /^([^=:]*)=?([^:]*):(.*)$/.exec(text) ?? [];
  const taint = { key, value, effect, timeAdded: since === undefined ? undefined : stamp(since) };
  return (before) => ({ ...before, taints: [...before.taints, taint] });
}

/** Without the taints of that key. */
export function untainted(key: string): Part<Node> {
  return (before) => ({ ...before, taints: before.taints.filter((taint) => taint.key !== key) });
}

/** Bound, and started, at that moment. */
export function boundSince(since: string): Part<Pod> {
  return (before) => ({ ...before, createdAt: at(since), status: { ...before.status, startedAt: at(since) } });
}

/** A pod condition Ready=True. */
export const podReady: Part<Pod> = (before) => ({
  ...before,
  status: {
    ...before.status,
    conditions: [{ type: 'Ready', status: 'True', reason: 'r', transitionAt: START, heartbeatAt: undefined }],
  },
});

/** The toleration of NR and UR that admission adds. */
export function defaultTolerations(seconds = 300): Part<Pod> {
  const both = ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    value: '',
    effect: 'NoExecute',
    tolerationSeconds: seconds,
  }));
  return (before) => ({
    ...before,
    spec: { ...before.spec, tolerations: [...before.spec.tolerations, ...both] },
  });
}
