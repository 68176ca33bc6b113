import { isReady, type Node } from '../../cluster/objects/node.ts';
import { compareText } from '../../cluster/snapshot.ts';
import type { Places } from '../../placement/counts/places.ts';
import type { SpreadScope } from '../../placement/counts/spread-scope.ts';
import type { Domains } from '../../placement/counts/topology.ts';

/** What domains are made of. */
export interface DomainParts {
  readonly key: string;
  readonly domains: Domains;
  readonly scope: SpreadScope;
  readonly places: Places;
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
    const { key, domains, scope, places, scored } = parts;
    this.key = key;
    this.#values = domains.values;
    const looked = scored && new Set(places.nodes.map((node, place) => (scored.has(node) ? domains.of[place] : -1)));
    this.#domainOf = domains.of.map((domain, place) =>
      scope.eligible[place] === 1 && (looked?.has(domain) ?? true) ? domain : -1,
    );
    const ids = new Set<number>();
    for (const [place, node] of places.nodes.entries()) {
      const domain = this.at(place);
      if (domain < 0) continue;
      ids.add(domain);
      if (isReady(node)) this.#add(domain, place);
    }
    this.ids = [...ids].sort((a, b) => compareText(this.value(a), this.value(b)));
  }

  /** The domain in which a pod on the node at this place counts; -1 if it counts nowhere. */
  at(place: number): number {
    return this.#domainOf[place] ?? -1;
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
  readyPlaces(domain: number): readonly number[] {
    return this.#ready.get(domain) ?? [];
  }

  #add(domain: number, place: number): void {
    const places = this.#ready.get(domain);
    if (places) places.push(place);
    else this.#ready.set(domain, [place]);
  }
}
