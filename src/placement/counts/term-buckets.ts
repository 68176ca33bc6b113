import type { Pod } from '../../cluster/objects/pod.ts';
import type { Selection } from './selection.ts';

/** No namespace has this name. */
const ANY = '*';

/**
 * Under which keys a pod that the selection means will look for it: its namespace with one of its labels, or alone.
 * Terms of other pods are found this way without asking each of them.
 */
export function bucketsOfSelection({ namespaces, selector }: Selection): readonly string[] {
  const pair = Object.entries(selector?.matchLabels ?? {})[0];
  const expression = selector?.matchExpressions.find(({ operator }) => operator === 'In');
  const labels = pair ? [pair] : expression?.values.map((value) => [expression.key, value] as const);
  return [...(namespaces ?? [ANY])].flatMap((namespace) =>
    labels ? labels.map(([key, value]) => labelKey(namespace, key, value)) : labelKey(namespace),
  );
}

/** Under which keys selections that mean this pod are kept. */
export function bucketsOfPod({ namespace, labels }: Pick<Pod, 'namespace' | 'labels'>): readonly string[] {
  const buckets: string[] = [];
  for (const scope of [namespace, ANY]) {
    for (const key of Object.keys(labels)) buckets.push(labelKey(scope, key, labels[key]));
    buckets.push(labelKey(scope));
  }
  return buckets;
}

function labelKey(namespace: string, key?: string, value = ''): string {
  return key === undefined ? namespace : `${namespace}\n${key}\n${value}`;
}
