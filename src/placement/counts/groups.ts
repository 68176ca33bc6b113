import type { Pod } from '../../cluster/objects/pod.ts';
import type { Lookup } from './lookup.ts';
import { Memo } from './memo.ts';
import type { Change, AssignedPod, AssignedPodIndex } from './assigned-pods.ts';
import { selects, type Selection } from './selection.ts';

/** Something that counts the members of a group by node. */
export interface MemberCount {
  change(member: AssignedPod, sign: 1 | -1): void;
}

/** The assigned pods that all of some selections select, and whoever counts them. Kept up to date with every booking. */
export class Group {
  readonly selections: readonly Selection[];
  readonly #lookup: Lookup;
  readonly #counts = new Memo<MemberCount>();

  constructor(selections: readonly Selection[], lookup: Lookup) {
    this.selections = selections;
    this.#lookup = lookup;
  }

  /** Whether a pod is of the kind that the group counts. */
  includes(pod: Pick<Pod, 'namespace' | 'labels'>): boolean {
    return this.selections.every((selection) => selects(selection, pod));
  }

  /** All members, as they are now. */
  *members(): Generator<AssignedPod> {
    const [first, ...rest] = this.selections;
    if (!first) return;
    for (const assignedPod of this.#lookup.select(first)) {
      if (rest.every((selection) => selects(selection, assignedPod.pod))) yield assignedPod;
    }
  }

  /** Those of the changes that concern members. */
  changesOf(changes: readonly Change[]): readonly Change[] {
    return changes.filter(({ assignedPod }) => this.includes(assignedPod.pod));
  }

  /** A count of the members that is made once per key and then follows. */
  countedBy<T extends MemberCount>(key: string, make: () => T): T {
    const count = this.#counts.get(key, () => {
      const made = make();
      for (const member of this.members()) made.change(member, 1);
      return made;
    });
    return count as T;
  }

  /** Tells the counts about a assigned pod that comes or goes. */
  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    if (!this.includes(assignedPod.pod)) return;
    for (const count of this.#counts.values()) count.change(assignedPod, sign);
  }
}

/** All groups that somebody has asked about, one per distinct selection. */
export class Groups implements AssignedPodIndex {
  readonly #lookup: Lookup;
  readonly #byKey = new Memo<Group>();
  readonly #byNamespace = new Memo<Group[]>();

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  /** The group of those that all of the selections select. */
  of(selections: readonly Selection[]): Group {
    return this.#byKey.get(selections.map(({ key }) => key).join(' & '), () => this.#add(selections));
  }

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    for (const group of this.#byNamespace.peek(assignedPod.pod.namespace) ?? []) group.change(assignedPod, sign);
    for (const group of this.#byNamespace.peek(ANY) ?? []) group.change(assignedPod, sign);
  }

  #add(selections: readonly Selection[]): Group {
    const group = new Group(selections, this.#lookup);
    for (const namespace of selections[0]?.namespaces ?? [ANY]) {
      this.#byNamespace.get(namespace, () => []).push(group);
    }
    return group;
  }
}

/** No namespace has this name. */
const ANY = '*';
