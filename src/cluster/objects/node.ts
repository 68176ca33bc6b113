import type { Labels, Taint } from './terms.ts';
import type { Condition } from './pod.ts';
import type { Resources } from '../amounts/resources.ts';

/** An image that a node reports, with all its names and its size in bytes. */
export interface NodeImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** A node. Times in milliseconds since the epoch. */
export interface Node {
  readonly kind: 'Node';
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly createdAt: number | undefined;
  readonly deletedAt: number | undefined;
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  /** Allocatable as reported; capacity where the node reports none. */
  readonly allocatable: Resources;
  readonly conditions: readonly Condition[];
  readonly images: readonly NodeImage[];
  readonly declaredFeatures: readonly string[];
}

/** No condition of type Ready with a status other than True; a node without one is ready (rule C7). */
export function isReady(node: Node): boolean {
  return node.conditions.every((condition) => condition.type !== 'Ready' || condition.status === 'True');
}
