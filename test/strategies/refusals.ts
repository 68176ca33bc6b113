/** The evictor's and the limits' words for pods of the tables, in one place: `place` is `p1@n1`. */

/** A mirror pod. */
export function mirrorPod(place: string): string {
  return `${place} [MirrorPod] mirrors a static pod of ${nodeOf(place)}, which its kubelet keeps running`;
}

/** A pod of DaemonSet `ds`. */
export function daemonSetPod(place: string, setting = wouldEnd('DaemonSetPods')): string {
  return `${place} [DaemonSetPods] belongs to DaemonSet ds, which would put it back on ${nodeOf(place)}; ${setting}`;
}

/** A pod with an emptyDir volume `scratch`. */
export function localStoragePod(place: string): string {
  const setting = wouldEnd('PodsWithLocalStorage');
  return `${place} [PodsWithLocalStorage] keeps data in local storage: volume scratch is an emptyDir; ${setting}`;
}

/** A pod of priority 2·10^9. */
export function criticalPod(place: string, setting = wouldEnd('SystemCriticalPods')): string {
  const why = 'is critical to the system: its priority 2000000000 is 2000000000 or more';
  return `${place} [SystemCriticalPods] ${why}; ${setting}`;
}

/** A terminating pod of the builders. */
export function terminatingPod(place: string): string {
  return `${place} [Terminating] is terminating already, since 2026-01-01T01:00:00Z`;
}

/** With nodeFit; `node` is the only one that the pod could go to. */
export function noFit(
  place: string,
  { node, why, kind = 'ready' }: { node: string; why: string; kind?: string },
): string {
  return `${place} [nodeFit] does not fit on ${node}, the only other ${kind} node: ${why}`;
}

/** The first pod beyond a limit: `of` is `on node n1`, `in namespace default` or nothing. */
export function limited(place: string, limit: 'PerNode' | 'PerNamespace' | 'Total', allows: string): string {
  const name = `maxNoOfPodsToEvict${limit}`;
  const of = { PerNode: `on node ${nodeOf(place)} `, PerNamespace: 'in namespace default ', Total: '' }[limit];
  return `${place} [${name}] is kept because ${name} allows ${allows} ${of}in this cycle; further pods are passed over`;
}

/** The setting that would let pods of a default protection go. */
export function wouldEnd(protection: string): string {
  return `podProtections.defaultDisabled: [${protection}] would allow its eviction`;
}

function nodeOf(place: string): string {
  return place.slice(place.indexOf('@') + 1);
}
