import type { Pod } from '../cluster/objects/pod.ts';
import type { Verdict } from './strategy.ts';

/** What a strategy has learnt from refusals that reach further than one pod, so that it need not ask again. */
export class ReachedLimits {
  readonly #nodes = new Set<string>();
  readonly #namespaces = new Set<string>();
  #total = false;

  /** The limit of the whole cycle is reached: nothing more can go. */
  get total(): boolean {
    return this.#total;
  }

  /** Remembers the limit that a verdict on this pod reports, if any. */
  read(pod: Pod, verdict: Verdict): void {
    if (verdict.granted) return;
    if (verdict.scope === 'total') this.#total = true;
    if (verdict.scope === 'node') this.#nodes.add(pod.nodeName);
    if (verdict.scope === 'namespace') this.#namespaces.add(pod.namespace);
  }

  /**
   * Whether asking for this pod is useless: its refusal is known and has been reported once (rule E11).
   */
  passesOver(pod: Pod): boolean {
    return this.#total || this.#nodes.has(pod.nodeName) || this.#namespaces.has(pod.namespace);
  }
}
