import type { OtherKind } from '../cluster/objects/kinds.ts';
import type { Snapshot } from '../cluster/snapshot.ts';

/** Remembers which kinds a rule would have needed and did not get, once each (rule S32). */
export class Warnings {
  readonly #snapshot: Snapshot;
  readonly #texts = new Map<OtherKind, string>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** Whether the kind could be read; if not, `rule` is noted as skipped. */
  knows(kind: OtherKind, rule: string): boolean {
    if (this.#snapshot.knows(kind)) return true;
    if (!this.#texts.has(kind)) this.#texts.set(kind, `no ${kind} objects were read: ${rule} not checked`);
    return false;
  }

  /** In the order of kind names. */
  texts(): readonly string[] {
    return [...this.#texts.values()].toSorted((a, b) => (a < b ? -1 : 1));
  }
}
