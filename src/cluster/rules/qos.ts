import type { Container, Pod, PodSpec } from '../objects/pod.ts';
import { amountOf, type Resources } from '../amounts/resources.ts';

/** Quality of service, from the pod that is throttled and killed first to the one that is last. */
export type Qos = 'BestEffort' | 'Burstable' | 'Guaranteed';

const MEASURED = ['cpu', 'memory'] as const;

// Asked again and again while pods are sorted.
const computed = new WeakMap<PodSpec, Qos>();

/**
 * The pod's class: what its status says, else computed from app and init containers, cpu and memory only, where amounts
 * of 0 count as absent (rule T4, rule T3).
 */
export function qosOf(pod: Pod): Qos {
  const reported = pod.status.qosClass;
  if (reported === 'BestEffort' || reported === 'Burstable' || reported === 'Guaranteed') return reported;
  let qos = computed.get(pod.spec);
  if (!qos) {
    qos = classOf([...pod.spec.containers, ...pod.spec.initContainers]);
    computed.set(pod.spec, qos);
  }
  return qos;
}

function classOf(containers: readonly Container[]): Qos {
  const asks = containers.some((container) => hasAny(container.requests) || hasAny(container.limits));
  if (!asks) return 'BestEffort';
  const isGuaranteed =
    containers.every(hasBothLimits) && MEASURED.every((name) => requestsEqualLimits(containers, name));
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function hasAny(resources: Resources): boolean {
  return MEASURED.some((name) => amountOf(resources, name) > 0);
}

function hasBothLimits(container: Container): boolean {
  return MEASURED.every((name) => amountOf(container.limits, name) > 0);
}

function requestsEqualLimits(containers: readonly Container[], name: string): boolean {
  return (
    sum(containers, (container) => amountOf(container.requests, name)) ===
    sum(containers, (container) => amountOf(container.limits, name))
  );
}

function sum(containers: readonly Container[], amount: (container: Container) => number): number {
  return containers.reduce((total, container) => total + Math.max(amount(container), 0), 0);
}
