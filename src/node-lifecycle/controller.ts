import type { Node } from '../cluster/objects/node.ts';
import type { Lease } from '../cluster/objects/kinds.ts';
import type { StoreChange, ClusterStore } from '../cluster/store.ts';
import { momentOf, type Cancel, type Clock, type Moment } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { ObserveLifecycle } from '../outcomes/lifecycle.ts';
import { isReadinessTaint } from './condition-taints.ts';
import { judge, lookAgain, withFreshGrace, withoutGap, type Judgement, type Look } from './health.ts';
import { MarkPods } from './mark-pods.ts';
import type { LifecycleOptions } from './options.ts';
import type { NodeLifecyclePorts } from './ports.ts';
import { NodeHealthMap, type NodeHealth } from './node-health-map.ts';
import { isDown, TaintTurns } from './taint-turns.ts';
import { WriteNode } from './write-node.ts';
import { markUnknown, type Unresponsive } from './mark-unknown.ts';
import { ZoneQueues, type ZoneView } from './zone-queues.ts';
import { zoneOf, ZoneTally, type ZonesVerdict } from './zones.ts';

/** What the controller works with. */
export interface NodeLifecycleParts {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly ports: NodeLifecyclePorts;
  readonly options: LifecycleOptions;
  readonly observe: ObserveLifecycle;
  /** Spreads the retries of what failed together. */
  readonly random?: Random | undefined;
  /** The Lease of a node as the cache has it; the store's by default. */
  readonly leaseOf?: (nodeName: string) => Lease | undefined;
  /** Told after each pass over the nodes how long it took. */
  readonly passed?: (pass: { readonly durationMs: number; readonly nodes: number }) => void;
}

/** A node that is judged in this pass. */
interface Judged {
  readonly entry: NodeHealth;
  readonly node: Node;
  readonly judgement: Judgement;
}

interface Looked extends Judged {
  readonly look: Look;
}

/**
 * The node lifecycle controller: judges the health of nodes, marks those Unknown that do not respond, and taints them at the
 * rate of their zone (https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller). A pass over all nodes every
 * period; in between, nodes that change are brought to the taints and labels that they should have. Nothing happens before
 * nodes, Leases and pods are synced.
 *
 * Differs from the reference: it takes the taints that it finds at its start as they are, so that no restart sets timers back.
 */
export class NodeLifecycleController {
  readonly #parts: NodeLifecycleParts;
  readonly #nodes: NodeHealthMap;
  readonly #zones: ZoneQueues;
  readonly #write: WriteNode;
  readonly #marking: MarkPods;
  readonly #turns: TaintTurns;
  #unsubscribe: () => void = () => undefined;
  #cancelPass: Cancel = () => undefined;
  #passing: Promise<void> = Promise.resolve();
  #lastPassAt: number | undefined;
  /** In how many passes in a row the API server could not be reached; and it can be again in this one. */
  #unreachablePasses = 0;
  #isServerBack = false;
  #isStopped = false;

  constructor(parts: NodeLifecycleParts) {
    this.#parts = parts;
    this.#nodes = new NodeHealthMap(parts.store);
    this.#zones = new ZoneQueues(parts.options);
    this.#marking = new MarkPods({ ...parts, nodes: this.#nodes });
    const shared = { ...parts, nodes: this.#nodes, zones: this.#zones };
    this.#turns = new TaintTurns({ ...shared, write: (name) => this.#write.check(name) });
    this.#write = new WriteNode({
      ...shared,
      settle: (name, written) => this.#turns.settle(name, written),
      isGranted: (name) => this.#turns.isGranted(name),
    });
  }

  /** Begins once nodes, Leases and pods are synced, with a first pass at once. */
  start(): void {
    const { store } = this.#parts;
    store.whenSynced(['Node', 'Lease', 'Pod'], () => {
      if (this.#isStopped) return;
      this.#unsubscribe = store.subscribe((announced) => this.#onAnnounced(announced));
      this.#runPass();
    });
  }

  /** Begins nothing more, and resolves when the writes under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#cancelPass();
    this.#turns.stop();
    await Promise.all([this.#passing, this.#write.stop(), this.#marking.stop()]);
  }

  /** Zones of which a node counts, as of the last pass. */
  zones(): readonly ZoneView[] {
    return this.#zones.views();
  }

  /** Whether pods of the node are to stay for now because of the state of its zone, by the options. */
  isPaused(nodeName: string): boolean {
    const zone = this.#nodes.entry(nodeName)?.zone;
    return zone !== undefined && this.#zones.pauses(zone);
  }

  #onAnnounced(announced: StoreChange): void {
    if (announced.kind === 'Node') this.#write.check(announced.name);
    if (announced.kind !== 'Pod' || !announced.isBound) return;
    const pod = this.#parts.store.pod(announced.uid);
    if (pod && isDown(this.#nodes.entry(announced.nodeName))) this.#marking.mark(pod);
  }

  #runPass(): void {
    const { clock, options, observe } = this.#parts;
    this.#passing = this.#pass()
      .catch((error: unknown) => {
        const text = error instanceof Error ? error.message : String(error);
        observe({ kind: 'call-failed', node: '', what: 'judge the nodes', error: text });
      })
      .then(() => {
        if (this.#isStopped) return;
        this.#lastPassAt = clock.now();
        this.#cancelPass = clock.schedule(this.#lastPassAt + options.monitorPeriodMs, () => this.#runPass());
      });
  }

  async #pass(): Promise<void> {
    const { clock, passed } = this.#parts;
    const began = clock.now();
    this.#forgiveGap(clock.now());
    const added = this.#updateNodes();
    const { quiet, looked } = this.#lookAtAll(momentOf(clock));
    const judged = await this.#markUnresponsive(looked);
    if (this.#isStopped) return;
    const now = clock.now();
    const action = this.#judgeZones(judged, quiet, now);
    for (const each of judged) this.#follow(each, now);
    if (action === 'leave' || this.#isServerBack) this.#giveFreshGrace(now);
    this.#turns.grant();
    for (const { name } of added) this.#write.check(name);
    passed?.({ durationMs: clock.now() - began, nodes: quiet.length + looked.length });
  }

  /** Time in which nobody looked, since the process stood still, does not count against the nodes. */
  #forgiveGap(now: number): void {
    const { monitorPeriodMs } = this.#parts.options;
    const gap = this.#lastPassAt === undefined ? monitorPeriodMs : now - this.#lastPassAt;
    if (gap <= 2 * monitorPeriodMs) return;
    for (const entry of this.#nodes.entries()) {
      if (entry.record) entry.record = withoutGap(entry.record, gap - monitorPeriodMs);
    }
  }

  /** Answers with the nodes that are new. */
  #updateNodes(): readonly Node[] {
    const { added, removed } = this.#nodes.update((node) => zoneOf(node.labels));
    for (const entry of removed) {
      this.#zones.remove(entry.name);
      this.#recordEvent(entry, 'RemovingNode', `Removing Node ${entry.name} from Controller`);
    }
    for (const node of added) {
      this.#recordEvent(node, 'RegisteredNode', `Registered Node ${node.name} in Controller`);
    }
    return added;
  }

  /** Judges every node. Of those that are ready and have not changed, most in most passes, only the Lease is considered. */
  #lookAtAll(moment: Moment): { readonly quiet: readonly NodeHealth[]; readonly looked: readonly Looked[] } {
    const { store, options } = this.#parts;
    const leaseOf = this.#parts.leaseOf ?? ((name: string) => store.lease(name));
    const graceMs = { monitor: options.monitorGraceMs, startup: options.startupGraceMs };
    const quiet: NodeHealth[] = [];
    const looked: Looked[] = [];
    for (const node of store.nodes) {
      const entry = this.#nodes.entry(node.name);
      if (!entry) continue;
      const lease = leaseOf(node.name);
      const again =
        entry.record && entry.quiet === node ? lookAgain(entry.record, lease, { now: moment.now, graceMs }) : undefined;
      if (again) {
        entry.record = again;
        quiet.push(entry);
      } else {
        const look = { previous: entry.record, node, lease, moment, absentAt: this.#lastPassAt, graceMs };
        looked.push({ entry, node, look, judgement: judge(look) });
      }
    }
    return { quiet, looked };
  }

  /** Marks nodes Unknown that do not respond; those that could not be judged are left out. */
  async #markUnresponsive(looked: readonly Looked[]): Promise<readonly Judged[]> {
    const unresponsive = looked.flatMap(({ look, judgement }): Unresponsive[] => {
      const resourceVersion = this.#parts.store.node(look.node.name)?.resourceVersion ?? '';
      return judgement.updates ? [{ look, resourceVersion, judgement }] : [];
    });
    const { byName, isServerUnreachable } = await markUnknown(unresponsive, {
      ...this.#parts,
      isStopped: () => this.#isStopped,
      unreachablePasses: this.#unreachablePasses,
    });
    this.#isServerBack = this.#unreachablePasses > 0 && !isServerUnreachable && unresponsive.length > 0;
    this.#unreachablePasses = isServerUnreachable ? this.#unreachablePasses + 1 : 0;
    return looked.flatMap((each) => {
      const outcome = byName.get(each.node.name);
      if (outcome === undefined) return [each];
      if (outcome === 'skipped') return [];
      if (outcome.written) this.#nodes.wrote(outcome.written);
      return [{ ...each, judgement: outcome.judgement }];
    });
  }

  #judgeZones(judged: readonly Judged[], quiet: readonly NodeHealth[], now: number): ZonesVerdict['action'] {
    const { observe } = this.#parts;
    const zones = new ZoneTally();
    for (const { entry, node, judgement } of judged) {
      this.#placeInZone(entry, node, now);
      zones.add(entry.zone, node.labels, judgement.current === 'True');
    }
    for (const { zone, quiet: node } of quiet) if (node) zones.add(zone, node.labels, true);
    // A zone whose nodes could not be judged this time still has its queue.
    if (judged.length + quiet.length < this.#nodes.size) for (const { zone } of this.#nodes.entries()) zones.add(zone);
    const { action, isFullDisruption, changed } = this.#zones.evaluate(zones.counts, now);
    for (const view of changed) observe({ kind: 'zone-state', ...view });
    if (action === 'enter' || action === 'leave') observe({ kind: 'full-disruption', isFullDisruption });
    return action;
  }

  #placeInZone(entry: NodeHealth, node: Node, now: number): void {
    const zone = zoneOf(node.labels);
    if (entry.zone === zone) return;
    entry.zone = zone;
    this.#zones.move(entry.name, zone, now);
  }

  /** After a full disruption, or while the API server could not be reached, no node is judged by that time. */
  #giveFreshGrace(now: number): void {
    for (const entry of this.#nodes.entries()) if (entry.record) entry.record = withFreshGrace(entry.record, now);
  }

  /** What follows from the judgement of one node: events, marks on its pods, what its taints are to become. */
  #follow({ entry, node, judgement }: Judged, now: number): void {
    const { observed, current } = judgement;
    const before = entry.record === undefined ? undefined : entry.current;
    entry.record = judgement.record;
    entry.current = current;
    if (before !== undefined && (before === 'True') !== (current === 'True')) this.#observeReadiness(entry);
    if (observed === 'True' && current !== 'True') {
      this.#recordEvent(node, 'NodeNotReady', `${node.name} status is now: NodeNotReady`);
    }
    // Differs from the reference: also where the node said False before it stopped responding, so that services leave its pods.
    if (current === 'Unknown' && (observed === 'True' || observed === 'False')) this.#marking.markAll(node.name);
    this.#turns.follow(entry, now);
    const isCalm = current === 'True' && observed === 'True' && !node.taints.some(isReadinessTaint);
    entry.quiet = isCalm ? node : undefined;
  }

  #observeReadiness({ name, zone, current }: NodeHealth): void {
    if (current === 'True') this.#parts.observe({ kind: 'node-ready', node: name, zone });
    else this.#parts.observe({ kind: 'node-not-ready', node: name, zone, status: current });
  }

  #recordEvent({ name, uid }: { readonly name: string; readonly uid: string }, reason: string, text: string): void {
    const message = reason === 'NodeNotReady' ? `Node ${text}` : `Node ${name} event: ${text}`;
    this.#parts.ports.recordEvent({
      regarding: { kind: 'Node', namespace: '', name, uid },
      type: 'Normal',
      reason,
      message,
    });
  }
}
