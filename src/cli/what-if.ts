import type { Lease } from '../cluster/kinds.ts';
import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';
import type { Labels } from '../cluster/selectors.ts';
import { ClusterStore, type Announced } from '../cluster/store.ts';
import { formatTaint, type Taint } from '../cluster/taints.ts';
import type { NodeLifecyclePorts } from '../node-lifecycle/ports.ts';

type PatchNode = NodeLifecyclePorts['patchNode'];
type GetNode = NodeLifecyclePorts['getNode'];

/** What a node would have by now. */
interface WouldBe {
  readonly uid: string;
  readonly taints: readonly Taint[] | undefined;
  readonly labels: Labels;
  /** The taints it really had then: once these change somebody else is at work, and what would be is void. */
  readonly before: string;
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
      const known = this.#wouldBe.get(node.name);
      this.#wouldBe.set(node.name, {
        uid: node.uid,
        taints: change.taints ?? known?.taints,
        labels: { ...known?.labels, ...change.labels },
        before: print(this.#real.node(node.name)?.object),
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

  #follow(announced: Announced): void {
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

  #shown(node: Node): Node {
    const wouldBe = this.#wouldBe.get(node.name);
    if (!wouldBe) return node;
    if (wouldBe.uid === node.uid && wouldBe.before === print(node)) {
      return { ...node, taints: wouldBe.taints ?? node.taints, labels: { ...node.labels, ...wouldBe.labels } };
    }
    this.#wouldBe.delete(node.name);
    return node;
  }

  #version(name: string): string {
    return this.#real.node(name)?.resourceVersion ?? '';
  }
}

function unversioned<T>(object: T): { readonly object: T; readonly resourceVersion: string } {
  return { object, resourceVersion: '' };
}

function print(node: Node | undefined): string {
  return (node?.taints ?? []).map((taint) => `${formatTaint(taint)} ${taint.timeAdded ?? ''}`).join('\n');
}
