import { isReady, type Node } from '../../cluster/node.ts';
import { compareText } from '../../cluster/snapshot.ts';
import type { SpreadScope } from '../../placement/spread-scope.ts';
import type { Domains } from '../../placement/topology.ts';

/** The domains that a constraint counts: values of its key on the nodes that it looks at (scheduler.md 2.11, steps 1 to 3). */
export class CountedDomains {
  /** Equal for equal domains. */
  readonly key: string;
  /** All domains, by the value of the key. */
  readonly ids: readonly number[];
  readonly #domains: Domains;
  readonly #eligible: Uint8Array;
  readonly #ready = new Map<number, Node[]>();

  constructor(topologyKey: string, parts: { domains: Domains; scope: SpreadScope; nodes: readonly Node[] }) {
    const { domains, scope, nodes } = parts;
    this.key = JSON.stringify([topologyKey, scope.key]);
    this.#domains = domains;
    this.#eligible = scope.eligible;
    const ids = new Set<number>();
    for (const [place, node] of nodes.entries()) {
      const domain = this.at(place);
      if (domain < 0) continue;
      ids.add(domain);
      if (isReady(node)) this.#add(domain, node);
    }
    this.ids = [...ids].sort((a, b) => compareText(this.value(a), this.value(b)));
  }

  /** The domain in which a pod on the node at this place counts; -1 if it counts nowhere. */
  at(place: number): number {
    return this.#eligible[place] === 1 ? (this.#domains.of[place] ?? -1) : -1;
  }

  /** The value of the key. */
  value(domain: number): string {
    return this.#domains.values[domain] ?? '';
  }

  /** The ready nodes of the domain that the constraint looks at, by name. */
  readyNodes(domain: number): readonly Node[] {
    return this.#ready.get(domain) ?? [];
  }

  #add(domain: number, node: Node): void {
    const nodes = this.#ready.get(domain);
    if (nodes) nodes.push(node);
    else this.#ready.set(domain, [node]);
  }
}
