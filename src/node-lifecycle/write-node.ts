import type { Node } from '../cluster/objects/node.ts';
import type { Versioned } from '../cluster/store.ts';
import { formatTaint } from '../cluster/rules/taints.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { WorkQueue, type WorkResult } from '../lib/work-queue.ts';
import type { ObserveLifecycle } from '../outcomes/lifecycle.ts';
import { isReadinessTaint, desiredTaints } from './condition-taints.ts';
import { labelsToMirror } from './labels.ts';
import type { NodeChange, NodeLifecyclePorts } from './ports.ts';
import { desiredFor, type NodeHealthMap } from './node-health-map.ts';

/** How the write of a node ended that waited for its turn. */
export type Written =
  /** It carries its taint by this write. */
  | 'tainted'
  /** Nothing had to be written, or the node is gone. */
  | 'nothing'
  /** It could not be written. */
  | 'failed';

/** What writing nodes needs. */
export interface WriteNodeParts {
  readonly nodes: NodeHealthMap;
  readonly ports: Pick<NodeLifecyclePorts, 'patchNode' | 'getNode'>;
  readonly clock: Clock;
  readonly observe: ObserveLifecycle;
  /** Spreads the retries of what failed together. */
  readonly random?: Random | undefined;
  /** Told after the write of a node on which a token was spent. */
  readonly settle: (name: string, written: Written) => void;
  /** Whether a token was spent on the node. */
  readonly isGranted: (name: string) => boolean;
}

const WORKERS = 8;
const MOST_TRIES = 5;

/**
 * Brings a node's taints and labels to what they should be, one patch a node; a node that has changed meanwhile is read again
 * and computed again.
 */
export class WriteNode {
  readonly #parts: WriteNodeParts;
  readonly #queue: WorkQueue;

  constructor(parts: WriteNodeParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue({
      clock: parts.clock,
      random: parts.random,
      workers: WORKERS,
      backoff: { baseMs: 100, capMs: 10_000 },
      work: (name) => this.#write(name),
      onError: (name, error) => void this.#failed(name, error instanceof Error ? error.message : String(error)),
    });
  }

  /** Writes the node if it is not as it should be. Said to no purpose it costs next to nothing. */
  check(name: string): void {
    const view = this.#parts.nodes.view(name);
    const isGranted = this.#parts.isGranted(name);
    if (isGranted || (view && this.#changeOf(view.object, isGranted) !== undefined)) this.#queue.add(name);
  }

  /** Begins no further write, and resolves when those under way have ended. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** Only a write that began with the token in hand settles it. */
  async #write(name: string): Promise<WorkResult> {
    const { settle, isGranted } = this.#parts;
    const granted = isGranted(name);
    let written: Written = 'failed';
    try {
      written = await this.#try(name, granted);
    } finally {
      if (granted) settle(name, written);
    }
    return written === 'failed' ? 'retry' : 'done';
  }

  async #try(name: string, granted: boolean): Promise<Written> {
    const { nodes, ports } = this.#parts;
    let view = nodes.view(name);
    for (let tries = 0; view && tries < MOST_TRIES; tries++) {
      const change = this.#changeOf(view.object, granted);
      if (!change) return 'nothing';
      const answer = await ports.patchNode({ node: view.object, resourceVersion: view.resourceVersion, change });
      if (answer.ok) return this.#written({ before: view.object, after: answer.value }, change, granted);
      if (answer.failure.kind === 'not-found') return 'nothing';
      if (answer.failure.kind !== 'conflict') return this.#failed(name, answer.failure.message);
      const live = await ports.getNode(name);
      if (!live.ok && live.failure.kind !== 'not-found') return this.#failed(name, live.failure.message);
      view = live.ok && live.value.object.uid === view.object.uid ? live.value : undefined;
    }
    return view ? this.#failed(name, 'it keeps changing') : 'nothing';
  }

  #changeOf(node: Node, granted: boolean): NodeChange | undefined {
    const { nodes, clock } = this.#parts;
    const entry = nodes.entry(node.name);
    const desired = entry && entry.uid === node.uid ? desiredFor(entry, node, granted) : 'keep';
    const taints = desiredTaints(node, desired, clock.wall());
    const labels = labelsToMirror(node.labels);
    if (!taints && !labels) return undefined;
    return { ...(taints && { taints }), ...(labels && { labels }) };
  }

  #written(
    { before, after }: { readonly before: Node; readonly after: Versioned<Node> },
    { taints, labels }: NodeChange,
    granted: boolean,
  ): Written {
    const { nodes, observe } = this.#parts;
    const { name } = before;
    nodes.wrote(after);
    const zone = nodes.entry(name)?.zone ?? '';
    const added = (taints ?? []).filter((taint) => !before.taints.includes(taint));
    const removed = taints ? before.taints.filter((taint) => !taints.includes(taint)) : [];
    for (const taint of added) {
      const isLimited = granted && isReadinessTaint(taint);
      observe({ kind: 'taint-added', node: name, zone, taint: formatTaint(taint), isLimited });
    }
    for (const taint of removed) observe({ kind: 'taint-removed', node: name, zone, taint: formatTaint(taint) });
    if (labels) observe({ kind: 'labels-reconciled', node: name, zone, labels: listed(labels) });
    return added.some(isReadinessTaint) ? 'tainted' : 'nothing';
  }

  #failed(name: string, error: string): 'failed' {
    this.#parts.observe({ kind: 'call-failed', node: name, what: 'write its taints', error });
    return 'failed';
  }
}

function listed(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}
