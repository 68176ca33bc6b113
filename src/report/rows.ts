import { podName } from '../cluster/objects/pod.ts';
import type { Eviction } from '../outcomes/outcome.ts';
import { hintFor } from './hints.ts';
import type { RefusalGroup } from './sections.ts';
import { destinationText, factOf, outcomeText } from './words.ts';

/** Headings of a table of evictions, in the order of `evictionRow`. */
export const EVICTION_HEAD: readonly string[] = ['pod', 'node', 'why', 'to', 'result'];

/** Headings of a table of refusal causes, in the order of `causeRow`. */
export const CAUSE_HEAD: readonly string[] = ['refusals', 'by', 'for example', 'setting that would change it'];

/** One eviction as the cells of a table. */
export function evictionRow(eviction: Eviction): readonly string[] {
  const { pod, reason } = eviction;
  return [podName(pod), pod.nodeName, reason, destinationText(eviction), outcomeText(eviction)];
}

/** One cause of refusals as the cells of a table. */
export function causeRow({ refusedBy, count, example }: RefusalGroup): readonly string[] {
  return [`${count}`, refusedBy, `${podName(example.pod)} ${factOf(example.reason)}`, hintFor(refusedBy) ?? ''];
}
