import type { Labels, Taint } from '../../cluster/objects/terms.ts';
import type { Lease } from '../../cluster/objects/kinds.ts';
import type { Node } from '../../cluster/objects/node.ts';
import type { Pod } from '../../cluster/objects/pod.ts';
import { ClusterStore, type StoreChange } from '../../cluster/store.ts';
import type { NodeLifecyclePorts } from '../../node-lifecycle/ports.ts';

type PatchNode = NodeLifecyclePorts['patchNode'];
type GetNode = NodeLifecyclePorts['getNode'];

/** What a node would have by now, beyond what it has. */
interface WouldBe {
  readonly uid: string;
  readonly labels: Labels;
  readonly added: readonly Taint[];
  readonly removed: readonly Taint[];
}

/**
 * The cluster as it would be if the controllers that only observe had written what they wanted to: it follows the real one,
 * and on top of that has their taints, so that what follows from these can be told.
 */
export class WhatIf {
  readonly store = new ClusterStore();
  readonly #real: ClusterStore;
  readonly #wouldBe = new Map<string, WouldBe>();

  /** Follows the store from the moment at which nodes, pods and Leases are synced. */
  constructor(real: ClusterStore) {
    this.#real = real;
    real.whenSynced(['Node', 'Pod', 'Lease'], () => {
      real.subscribe((announced) => this.#follow(announced));
      const { nodes, pods, others } = real.contents();
      this.store.replaceAll('Pod', pods.map(unversioned));
      this.store.replaceAll('Lease', (others.Lease ?? []).map(unversioned));
      this.store.replaceAll(
        'Node',
        nodes.map((node) => ({ object: node, resourceVersion: this.#version(node.name) })),
      );
    });
  }

  /** The port, which remembers each change as if it had been made. */
  patching(patch: PatchNode): PatchNode {
    return (request) => {
      const { node, change } = request;
      const real = this.#real.node(node.name)?.object.taints ?? [];
      const wanted = change.taints ?? node.taints;
      this.#wouldBe.set(node.name, {
        uid: node.uid,
        labels: { ...this.#wouldBe.get(node.name)?.labels, ...change.labels },
        added: wanted.filter((taint) => !real.some((other) => isEqual(other, taint))),
        removed: real.filter((taint) => !wanted.some((other) => isEqual(other, taint))),
      });
      this.#followNode(node.name, node.uid);
      return patch(request);
    };
  }

  /** The port, which answers with the node as it would be. */
  reading(get: GetNode): GetNode {
    return async (name) => {
      const answer = await get(name);
      if (!answer.ok) return answer;
      const { object, resourceVersion } = answer.value;
      return { ok: true, value: { object: this.#shown(object), resourceVersion } };
    };
  }

  #follow(announced: StoreChange): void {
    const { kind, uid } = announced;
    if (kind === 'Pod') this.#replace(this.#real.pod(uid), this.store.pod(uid));
    else if (kind === 'Node') this.#followNode(announced.name, uid);
    else if (kind === 'Lease') this.#replace(this.#real.lease(announced.name), this.store.lease(announced.name));
  }

  #followNode(name: string, uid: string): void {
    const real = this.#real.node(name)?.object;
    const known = this.store.node(name)?.object;
    if (known && known.uid !== real?.uid) this.store.apply({ object: known, resourceVersion: '', type: 'delete' });
    if (real?.uid !== uid) return;
    this.store.apply({ object: this.#shown(real), resourceVersion: this.#version(name), type: 'put' });
  }

  #replace(real: Pod | Lease | undefined, known: Pod | Lease | undefined): void {
    if (known && known.uid !== real?.uid) this.store.apply({ ...unversioned(known), type: 'delete' });
    if (real) this.store.apply({ ...unversioned(real), type: 'put' });
  }

  /** What somebody else really does to a taint stands: then another is at work. */
  #shown(node: Node): Node {
    const wouldBe = this.#wouldBe.get(node.name);
    if (wouldBe?.uid !== node.uid) {
      this.#wouldBe.delete(node.name);
      return node;
    }
    const added = wouldBe.added.filter(
      ({ key, effect }) => !node.taints.some((it) => it.key === key && it.effect === effect),
    );
    const removed = wouldBe.removed.filter((taint) => node.taints.some((it) => isEqual(it, taint)));
    this.#wouldBe.set(node.name, { ...wouldBe, added, removed });
    const taints = [...node.taints.filter((taint) => !removed.some((it) => isEqual(it, taint))), ...added];
    return { ...node, taints, labels: { ...node.labels, ...wouldBe.labels } };
  }

  #version(name: string): string {
    return this.#real.node(name)?.resourceVersion ?? '';
  }
}

function unversioned<T>(object: T): { readonly object: T; readonly resourceVersion: string } {
  return { object, resourceVersion: '' };
}

function isEqual(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect && a.value === b.value && a.timeAdded === b.timeAdded;
}
