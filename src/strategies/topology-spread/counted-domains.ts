import { isReady, type Node } from '../../cluster/objects/node.ts';
import { compareText } from '../../cluster/snapshot.ts';
import type { NodeIndexes } from '../../placement/counts/node-indexes.ts';
import type { SpreadScope } from '../../placement/counts/spread-scope.ts';
import type { Domains } from '../../placement/counts/topology.ts';

/** What domains are made of. */
export interface DomainParts {
  readonly key: string;
  readonly domains: Domains;
  readonly scope: SpreadScope;
  readonly nodeIndexes: NodeIndexes;
  /** Where given, a domain without any of these nodes does not count. */
  readonly scored: ReadonlySet<Node> | undefined;
}

/** The domains that a constraint counts: values of its key on the nodes that it looks at (rule S15). */
export class CountedDomains {
  /** Equal for equal domains. */
  readonly key: string;
  /** All domains, by the value of the key. */
  readonly ids: readonly number[];
  readonly #values: readonly string[];
  /** By place. */
  readonly #domainOf: Int32Array;
  readonly #ready = new Map<number, number[]>();

  constructor(parts: DomainParts) {
    const { key, domains, scope, nodeIndexes, scored } = parts;
    this.key = key;
    this.#values = domains.values;
    const looked =
      scored && new Set(nodeIndexes.nodes.map((node, nodeIndex) => (scored.has(node) ? domains.of[nodeIndex] : -1)));
    this.#domainOf = domains.of.map((domain, nodeIndex) =>
      scope.eligible[nodeIndex] === 1 && (looked?.has(domain) ?? true) ? domain : -1,
    );
    const ids = new Set<number>();
    for (const [nodeIndex, node] of nodeIndexes.nodes.entries()) {
      const domain = this.at(nodeIndex);
      if (domain < 0) continue;
      ids.add(domain);
      if (isReady(node)) this.#add(domain, nodeIndex);
    }
    this.ids = [...ids].sort((a, b) => compareText(this.value(a), this.value(b)));
  }

  /** The domain in which a pod on the node at this place counts; -1 if it counts nowhere. */
  at(nodeIndex: number): number {
    return this.#domainOf[nodeIndex] ?? -1;
  }

  /** All domains are smaller numbers than this. */
  get limit(): number {
    return this.#values.length;
  }

  /** The value of the key. */
  value(domain: number): string {
    return this.#values[domain] ?? '';
  }

  /** The places of the domain's ready nodes, by name. */
  readyNodeIndexes(domain: number): readonly number[] {
    return this.#ready.get(domain) ?? [];
  }

  #add(domain: number, nodeIndex: number): void {
    const nodeIndexes = this.#ready.get(domain);
    if (nodeIndexes) nodeIndexes.push(nodeIndex);
    else this.#ready.set(domain, [nodeIndex]);
  }
}
