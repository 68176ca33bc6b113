import type { Pod } from '../../cluster/objects/pod.ts';
import { compareForEviction } from '../../cluster/rules/sorting.ts';
import type { ConflictGroup } from './conflicts.ts';
import { isBroken, rolesOf, violationsIn, type LiveConflict, type Role } from './roles.ts';
import { wordsFor } from './words.ts';
import { smallestCover } from './smallest-cover.ts';

/** Up to so many pods the smallest set is found exactly (rule T22). */
const EXACT_UP_TO = 16;

/**
 * The violations of one group while its pods are evicted one after another. Ask `next` who should go, then tell with
 * `evicted` or `refused` what became of it: whoever is refused stays, and the others make up for it.
 */
export class Violations {
  readonly #pods: readonly Pod[];
  readonly #conflicts: readonly LiveConflict[];
  readonly #roles: readonly Role[];
  readonly #roleOf: ReadonlyMap<Pod, Role>;
  readonly #gone = new Set<Pod>();
  readonly #stuck = new Set<Pod>();

  constructor(group: ConflictGroup) {
    this.#pods = group.pods;
    this.#conflicts = group.conflicts.map(({ what, carriers, forbidden }) => {
      return { what, carriers: new Set(carriers), forbidden: new Set(forbidden), stuckCarriers: 0, stuckForbidden: 0 };
    });
    this.#roles = rolesOf(group.pods, this.#conflicts);
    this.#roleOf = new Map(this.#roles.flatMap((role) => role.pods.map((pod) => [pod, role] as const)));
  }

  /** The pod is gone, and so is every violation it is in. */
  evicted(pod: Pod): void {
    this.#gone.add(pod);
    for (const { conflict } of this.#partsOf(pod)) {
      conflict.carriers.delete(pod);
      conflict.forbidden.delete(pod);
    }
  }

  /** The pod stays whatever happens. */
  refused(pod: Pod): void {
    if (this.#stuck.has(pod)) return;
    this.#stuck.add(pod);
    for (const { conflict, carries, forbidden } of this.#partsOf(pod)) {
      if (carries) conflict.stuckCarriers += 1;
      if (forbidden) conflict.stuckForbidden += 1;
    }
  }

  /** Who goes next so that as few as possible go; undefined once no eviction can end a violation. */
  next(): Pod | undefined {
    return this.#pods.length <= EXACT_UP_TO ? this.#exactNext() : this.#greedyNext();
  }

  /** Kept pods in violations which no eviction can end, in the order of eviction. */
  unended(): readonly Pod[] {
    const broken = this.#conflicts.filter(isBroken);
    const left = new Set(broken.flatMap(({ carriers, forbidden }) => [...carriers, ...forbidden]));
    return this.#pods.filter((pod) => left.has(pod));
  }

  /** What the pod has to do with the violations that are left, to complete "pod X …". */
  reasonFor(pod: Pod): string {
    return wordsFor(pod, this.#partsOf(pod));
  }

  #partsOf(pod: Pod): Role['parts'] {
    return this.#roleOf.get(pod)?.parts ?? [];
  }

  /**
   * The pod of the best set that is first in the order of eviction. Pods are vertices by their place in that order;
   * who is in a violation with a stuck pod must go anyway.
   */
  #exactNext(): Pod | undefined {
    const pods = this.#pods.filter((pod) => !this.#gone.has(pod));
    const neighbours = pods.map((pod) => maskOf(pods, (other) => this.#violate(pod, other)));
    const stuck = maskOf(pods, (pod) => this.#stuck.has(pod));
    const forced = maskOf(pods, (pod, vertex) => !this.#stuck.has(pod) && ((neighbours[vertex] ?? 0) & stuck) !== 0);
    const decided = stuck | forced;
    const open = neighbours.map((mask, vertex) => (decided & (1 << vertex) ? 0 : mask & ~decided));
    const victims = forced | smallestCover(open);
    return pods.find((_, vertex) => victims & (1 << vertex));
  }

  #violate(pod: Pod, other: Pod): boolean {
    if (pod === other) return false;
    return this.#partsOf(pod).some(({ conflict, carries, forbidden }) => {
      return (carries && conflict.forbidden.has(other)) || (forbidden && conflict.carriers.has(other));
    });
  }

  /** Who must go anyway, then who is in the most violations, then the first in the order of eviction. */
  #greedyNext(): Pod | undefined {
    const candidates = this.#roles.flatMap((role) => {
      const pod = this.#firstFree(role);
      const { all, withStuck } = violationsIn(role);
      return pod && all > 0 ? [{ pod, all, mustGo: withStuck > 0 }] : [];
    });
    const [best] = candidates.sort((a, b) => {
      return Number(b.mustGo) - Number(a.mustGo) || b.all - a.all || compareForEviction(a.pod, b.pod);
    });
    return best?.pod;
  }

  #firstFree(role: Role): Pod | undefined {
    for (; role.cursor < role.pods.length; role.cursor += 1) {
      const pod = role.pods[role.cursor];
      if (pod && !this.#gone.has(pod) && !this.#stuck.has(pod)) return pod;
    }
    return undefined;
  }
}

function maskOf(pods: readonly Pod[], isIn: (pod: Pod, vertex: number) => boolean): number {
  return pods.reduce((mask, pod, vertex) => (isIn(pod, vertex) ? mask | (1 << vertex) : mask), 0);
}
