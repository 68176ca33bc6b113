import type { PodSpec, SpreadConstraint } from '../../cluster/objects/pod.ts';
import { Memo } from './memo.ts';
import type { AffinityMatcher } from '../filters/node-affinity.ts';
import type { NodeIndexes } from './node-indexes.ts';
import type { TolerationMatcher } from '../filters/taints.ts';
import type { Topology } from './topology.ts';

/** The nodes whose assigned pods a spread constraint counts and whose values of its key are domains. */
export interface SpreadScope {
  readonly key: string;
  /** 1 by place. */
  readonly eligible: Uint8Array;
  /** How many values of the key there are among them. */
  readonly sizeOf: (topologyKey: string) => number;
}

/** Scopes by what they depend on, each found once (rule S15). */
export class SpreadScopes {
  readonly #nodeIndexes: NodeIndexes;
  readonly #topology: Topology;
  readonly #affinityMatcher: AffinityMatcher;
  readonly #tolerationMatcher: TolerationMatcher;
  readonly #byKey = new Memo<SpreadScope>();

  constructor(parts: {
    nodeIndexes: NodeIndexes;
    topology: Topology;
    affinityMatcher: AffinityMatcher;
    tolerationMatcher: TolerationMatcher;
  }) {
    this.#nodeIndexes = parts.nodeIndexes;
    this.#topology = parts.topology;
    this.#affinityMatcher = parts.affinityMatcher;
    this.#tolerationMatcher = parts.tolerationMatcher;
  }

  /** Nodes with the keys of all constraints that, as the policies say, the pod's affinity chooses and its tolerations open. */
  of(constraint: SpreadConstraint, all: readonly SpreadConstraint[], spec: PodSpec): SpreadScope {
    const honoursAffinity = constraint.nodeAffinityPolicy === 'Honor';
    const honoursTaints = constraint.nodeTaintsPolicy === 'Honor';
    const keys = [...new Set(all.map(({ topologyKey }) => topologyKey))].sort();
    const key = JSON.stringify([
      keys,
      honoursAffinity ? this.#affinityMatcher.keyOf(spec) : '',
      honoursTaints ? this.#tolerationMatcher.keyOf(spec.tolerations) : '',
    ]);
    return this.#byKey.get(key, () => {
      const domains = keys.map((name) => this.#topology.domains(name));
      const chosen = honoursAffinity ? this.#affinityMatcher.of(spec) : undefined;
      const open = honoursTaints ? this.#tolerationMatcher.of(spec.tolerations) : undefined;
      const eligible = Uint8Array.from(this.#nodeIndexes.nodes, (_, nodeIndex) =>
        Number(
          domains.every(({ of }) => of[nodeIndex] !== -1) &&
            (chosen?.(nodeIndex) ?? true) &&
            (open?.(nodeIndex) ?? true),
        ),
      );
      return { key, eligible, sizeOf: this.#sizes(eligible) };
    });
  }

  #sizes(eligible: Uint8Array): SpreadScope['sizeOf'] {
    const sizes = new Memo<number>();
    return (topologyKey) =>
      sizes.get(topologyKey, () => {
        const { of } = this.#topology.domains(topologyKey);
        return new Set(of.filter((_, nodeIndex) => eligible[nodeIndex] === 1)).size;
      });
  }
}
