import type { Labels } from '../cluster/objects/terms.ts';

const MIRRORED: readonly (readonly [source: string, mirror: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
];

/** Old labels of a node that must be set to what the current ones say (https://kubernetes.io/docs/reference/labels-annotations-taints/); undefined if none must. */
export function labelsToMirror(labels: Labels): Labels | undefined {
  const wrong = MIRRORED.flatMap(([source, mirror]): [string, string][] => {
    const value = labels[source];
    return value === undefined || labels[mirror] === value ? [] : [[mirror, value]];
  });
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong);
}
