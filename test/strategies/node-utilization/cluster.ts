import type { NodeMetrics, PodMetrics } from '../../../src/cluster/objects/kinds.ts';
import type { Node } from '../../../src/cluster/objects/node.ts';
import type { Pod } from '../../../src/cluster/objects/pod.ts';
import type { Resources } from '../../../src/cluster/amounts/resources.ts';
import {
  allocatable,
  annotations,
  asks,
  namespace,
  noOwner,
  ownedBy,
  pod,
  priority,
  requests,
  spec,
  tolerates,
  type Part,
} from '../../builders/cluster.ts';
import type { Plan } from '../run-strategy.ts';

/** Owner of kind Pod, the tables' NO. */
export const owned: Part<Pod> = ownedBy('Pod', '');

/** Owner of kind DaemonSet, the tables' DS. */
export const daemon: Part<Pod> = ownedBy('DaemonSet', 'daemons');

/** The tables' NO+LS+MIR: a mirror pod with a volume on the node. */
export const mirrored: Part<Pod> = (before) =>
  spec({ volumes: [{ kind: 'hostPath', name: 'sample' }] })(
    annotations({ 'kubernetes.io/config.mirror': 'mirror', 'kubernetes.io/config.source': 'api' })(owned(before)),
  );

/** The tables' CRIT in kube-system. */
export const critical: Part<Pod> = (before) => namespace('kube-system')(priority(2_000_000_000)(owned(before)));

/** The tables' pods `p1..p5(400/0)`: each with the same parts. */
export function pods(names: string, ...parts: readonly Part<Pod>[]): readonly Pod[] {
  return names.split(' ').map((name) => pod(name, asks(400, 0), ...parts));
}

/** Std protected: p6 of a DaemonSet, p7 mirrored, p8 critical. */
export function protectedPods(): readonly Pod[] {
  return [...pods('p6', daemon), ...pods('p7', mirrored), ...pods('p8', critical)];
}

/** So many of the extended resource `example.com/foo` on a node. */
export function foos(amount: number): Part<Node> {
  return allocatable({ 'example.com/foo': amount });
}

/** A request for so many of `example.com/foo`. */
export function wantsFoo(amount: number): Part<Pod> {
  return requests({ 'example.com/foo': amount });
}

/** A bare pod. */
export const bare: Part<Pod> = noOwner;

/** A toleration with neither operator nor effect, as the tables write it. */
export const toleratesPlain: Part<Pod> = tolerates('key=value', { operator: '', effect: '' });

/** Measured usage of a node: cpu in millicores, memory in bytes. */
export function nodeMetrics(name: string, cpu: number, memory = 0): NodeMetrics {
  return { kind: 'NodeMetrics', name, namespace: '', uid: '', labels: {}, usage: { cpu, memory } };
}

/** Measured usage of a pod of namespace `ns`. */
export function podMetrics(name: string, ns: string, usage: Resources): PodMetrics {
  return { kind: 'PodMetrics', name, namespace: ns, uid: '', labels: {}, usage };
}

/**
 * A plan as one list: `evict p1@n1 reason`, `keep p2@n1 [by] reason`, `note …`. Reasons of refusals stand only where they
 * are the strategy's own; those of the evictor are its own tests' business.
 */
export function ownReasons(strategy: string, plan: Plan): readonly string[] {
  return [
    ...plan.evictions.map((line) => `evict ${line}`),
    ...plan.refusals.map((line) => `keep ${line.includes(`[${strategy}]`) ? line : line.replace(/\].*/, ']')}`),
    ...plan.notes.map((line) => `note ${line}`),
  ];
}
