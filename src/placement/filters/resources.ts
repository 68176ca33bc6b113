import { amountOf, formatAmount } from '../../cluster/amounts/resources.ts';
import type { Candidate } from '../candidate.ts';
import type { Check, Rule } from './filter-failure.ts';
import type { FitOptions } from '../options.ts';
import { isExpected, nameOf, type AssignedPod } from '../counts/assigned-pods.ts';
import type { Room } from '../room.ts';

/** NodeResourcesFit: pod slots and every requested resource, all failures reported (rule S10). */
export function resourcesRule(room: Room, options: FitOptions): Rule {
  return {
    scope: 'node',
    check: (candidate) => new ResourcesCheck(candidate, room, comparedNeeds(candidate, options)),
  };
}

interface Need {
  readonly name: string;
  readonly amount: number;
}

const COMPUTE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** What is compared: needs above 0, cpu, memory and ephemeral-storage first, then scalar resources by name. */
function comparedNeeds({ needs }: Candidate, options: FitOptions): readonly Need[] {
  const scalars = Object.keys(needs).filter((name) => isScalar(name) && !isIgnored(name, options));
  return [...COMPUTE, ...scalars.toSorted()]
    .map((name) => ({ name, amount: amountOf(needs, name) }))
    .filter(({ amount }) => amount > 0);
}

/** Resources that the scheduler compares besides the three of `COMPUTE`; all others it does not know. */
export function isScalar(name: string): boolean {
  return name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-');
}

/** Extended resources that the profile leaves to somebody else. */
function isIgnored(name: string, options: FitOptions): boolean {
  if (!name.includes('/') || name.includes('kubernetes.io/')) return false;
  const group = name.slice(0, name.indexOf('/'));
  return (
    (options.ignoredResources?.includes(name) ?? false) || (options.ignoredResourceGroups?.includes(group) ?? false)
  );
}

class ResourcesCheck implements Check {
  readonly #candidate: Candidate;
  readonly #room: Room;
  readonly #needs: readonly Need[];
  readonly #free: readonly Float64Array[];

  constructor(candidate: Candidate, room: Room, needs: readonly Need[]) {
    this.#candidate = candidate;
    this.#room = room;
    this.#needs = needs;
    this.#free = needs.map(({ name }) => room.free(name));
  }

  passes(nodeIndex: number): boolean {
    if (this.#candidate.changes.some(({ assignedPod }) => assignedPod.nodeIndex === nodeIndex)) {
      return this.codes(nodeIndex).length === 0;
    }
    if ((this.#room.slots[nodeIndex] ?? 0) < 1) return false;
    for (let index = 0; index < this.#needs.length; index++) {
      if ((this.#needs[index]?.amount ?? 0) > (this.#free[index]?.[nodeIndex] ?? 0)) return false;
    }
    return true;
  }

  /** For shared answers only, whose candidate changes nothing. */
  exclude(flags: Uint8Array): void {
    excludeBelow(flags, this.#room.slots, 1);
    for (const { name, amount } of this.#needs) excludeBelow(flags, this.#room.free(name), amount);
  }

  codes(nodeIndex: number): readonly string[] {
    const short = this.#needs.filter(({ name, amount }) => amount > this.#freeAt(nodeIndex, name));
    const codes = short.map(({ name }) => name);
    return this.#slotsAt(nodeIndex) < 1 ? ['pods', ...codes] : codes;
  }

  text(nodeIndex: number, code: string): string {
    const allocatable = amountOf(this.#room.nodeIndexes.at(nodeIndex).allocatable, code);
    if (code === 'pods') {
      const slots = this.#slotsAt(nodeIndex);
      const kept = this.#keptText(nodeIndex, { code, lacking: 1 - slots });
      return `no free pod slot, ${allocatable - slots} of ${allocatable} taken${kept}`;
    }
    const need = amountOf(this.#candidate.needs, code);
    const free = this.#freeAt(nodeIndex, code);
    const all = formatAmount(code, allocatable);
    const kept = this.#keptText(nodeIndex, { code, lacking: need - free });
    return `needs ${formatAmount(code, need)} ${code}, ${formatAmount(code, Math.max(0, free))} of ${all} free${kept}`;
  }

  /** Who holds the room that is lacking, if it is kept for pods that are not there yet. */
  #keptText(nodeIndex: number, { code, lacking }: { readonly code: string; readonly lacking: number }): string {
    const takes = ({ requests }: AssignedPod) => (code === 'pods' ? 1 : amountOf(requests, code));
    const nominated = this.#candidate.changes.flatMap(({ assignedPod, sign }) => (sign > 0 ? [assignedPod] : []));
    const expected = [...this.#room.expectedAt(nodeIndex), ...nominated.filter(isExpected)].filter(
      (assignedPod) => assignedPod.nodeIndex === nodeIndex && takes(assignedPod) > 0,
    );
    const kept = expected.reduce((sum, assignedPod) => sum + takes(assignedPod), 0);
    const [first, ...more] = expected.toSorted((a, b) => takes(b) - takes(a));
    if (!first || kept < lacking) return '';
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return `, ${formatAmount(code, kept)} kept for ${nameOf(first)}${others}`;
  }

  #slotsAt(nodeIndex: number): number {
    return this.#candidate.changes.reduce(
      (slots, { assignedPod, sign }) => (assignedPod.nodeIndex === nodeIndex ? slots - sign : slots),
      this.#room.slots[nodeIndex] ?? 0,
    );
  }

  #freeAt(nodeIndex: number, name: string): number {
    return this.#candidate.changes.reduce(
      (free, { assignedPod, sign }) =>
        assignedPod.nodeIndex === nodeIndex ? free - sign * amountOf(assignedPod.requests, name) : free,
      this.#room.free(name)[nodeIndex] ?? 0,
    );
  }
}

function excludeBelow(flags: Uint8Array, free: Float64Array, amount: number): void {
  for (let nodeIndex = 0; nodeIndex < flags.length; nodeIndex++) {
    if (amount > (free[nodeIndex] ?? 0)) flags[nodeIndex] = 0;
  }
}
