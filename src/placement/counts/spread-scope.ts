import type { PodSpec, SpreadConstraint } from '../../cluster/objects/pod.ts';
import { Memo } from './memo.ts';
import type { Attraction } from '../filters/node-affinity.ts';
import type { Places } from './places.ts';
import type { Tolerance } from '../filters/taints.ts';
import type { Topology } from './topology.ts';

/** The nodes whose residents a spread constraint counts and whose values of its key are domains. */
export interface SpreadScope {
  readonly key: string;
  /** 1 by place. */
  readonly eligible: Uint8Array;
  /** How many values of the key there are among them. */
  readonly sizeOf: (topologyKey: string) => number;
}

/** Scopes by what they depend on, each found once (rule S15). */
export class SpreadScopes {
  readonly #places: Places;
  readonly #topology: Topology;
  readonly #attraction: Attraction;
  readonly #tolerance: Tolerance;
  readonly #byKey = new Memo<SpreadScope>();

  constructor(parts: { places: Places; topology: Topology; attraction: Attraction; tolerance: Tolerance }) {
    this.#places = parts.places;
    this.#topology = parts.topology;
    this.#attraction = parts.attraction;
    this.#tolerance = parts.tolerance;
  }

  /** Nodes with the keys of all constraints that, as the policies say, the pod's affinity chooses and its tolerations open. */
  of(constraint: SpreadConstraint, all: readonly SpreadConstraint[], spec: PodSpec): SpreadScope {
    const honoursAffinity = constraint.nodeAffinityPolicy === 'Honor';
    const honoursTaints = constraint.nodeTaintsPolicy === 'Honor';
    const keys = [...new Set(all.map(({ topologyKey }) => topologyKey))].sort();
    const key = JSON.stringify([
      keys,
      honoursAffinity ? this.#attraction.keyOf(spec) : '',
      honoursTaints ? this.#tolerance.keyOf(spec.tolerations) : '',
    ]);
    return this.#byKey.get(key, () => {
      const domains = keys.map((name) => this.#topology.domains(name));
      const chosen = honoursAffinity ? this.#attraction.of(spec) : undefined;
      const open = honoursTaints ? this.#tolerance.of(spec.tolerations) : undefined;
      const eligible = Uint8Array.from(this.#places.nodes, (_, place) =>
        Number(domains.every(({ of }) => of[place] !== -1) && (chosen?.(place) ?? true) && (open?.(place) ?? true)),
      );
      return { key, eligible, sizeOf: this.#sizes(eligible) };
    });
  }

  #sizes(eligible: Uint8Array): SpreadScope['sizeOf'] {
    const sizes = new Memo<number>();
    return (topologyKey) =>
      sizes.get(topologyKey, () => {
        const { of } = this.#topology.domains(topologyKey);
        return new Set(of.filter((_, place) => eligible[place] === 1)).size;
      });
  }
}
