import type { LabelSelector, Labels, NodeSelectorTerm, PodAffinityTerm, Toleration } from './terms.ts';
import type { Resources } from '../amounts/resources.ts';

/** An owner reference; `controller` marks the one that replaces the pod. */
export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly controller: boolean;
}

/** A host port as the scheduler compares it: empty IP is 0.0.0.0, empty protocol TCP (rule S9). */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A container of a pod's spec; `sidecar` is an init container with restartPolicy Always. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly requests: Resources;
  readonly limits: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly sidecar: boolean;
  /** A restart rule asks for RestartAllContainers (rule S19). */
  readonly restartsAll: boolean;
}

/** A volume, as far as protections and fit read it. */
export type Volume =
  | { readonly kind: 'hostPath' | 'emptyDir' | 'other'; readonly name: string }
  /** `claim` is the name of a claim in the pod's namespace. */
  | { readonly kind: 'claim'; readonly name: string; readonly claim: string }
  /** Generic ephemeral volume: its claim is named `<pod>-<volume>` and belongs to the pod. */
  | { readonly kind: 'ephemeral'; readonly name: string; readonly storageClass: string | undefined }
  /** Inline disks that two pods cannot share (rule S11): `disk` identifies it. */
  | {
      readonly kind: 'gce' | 'aws' | 'iscsi' | 'rbd';
      readonly name: string;
      readonly disk: string;
      readonly monitors: readonly string[];
      readonly readOnly: boolean;
    }
  /** An image volume counts in ImageLocality. */
  | { readonly kind: 'image'; readonly name: string; readonly image: string };

/** A topology spread constraint; unset policies are filled with the API's defaults at decode. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector: LabelSelector | undefined;
  readonly matchLabelKeys: readonly string[];
  readonly minDomains: number | undefined;
  readonly nodeAffinityPolicy: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy: 'Honor' | 'Ignore';
}

/** A claim on devices: `claim` names a ResourceClaim, `template` a template from which one is made. */
export interface PodResourceClaim {
  readonly name: string;
  readonly claim: string | undefined;
  readonly template: string | undefined;
}

/** A preferred rule with its weight. */
export interface Weighted<T> {
  readonly weight: number;
  readonly term: T;
}

/**
 * What a pod asks of a node. Everything but the place: equal specs are one object (decode interns them), so that
 * answers can be kept per spec.
 */
export interface PodSpec {
  readonly schedulerName: string;
  readonly priority: number | undefined;
  readonly priorityClassName: string;
  readonly schedulingGates: readonly string[];
  readonly nodeSelector: Labels;
  /** Undefined: no required node affinity. An empty list matches nothing. */
  readonly requiredNodeAffinity: readonly NodeSelectorTerm[] | undefined;
  readonly preferredNodeAffinity: readonly Weighted<NodeSelectorTerm>[];
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAffinity: readonly Weighted<PodAffinityTerm>[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAntiAffinity: readonly Weighted<PodAffinityTerm>[];
  readonly tolerations: readonly Toleration[];
  readonly spreadConstraints: readonly SpreadConstraint[];
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly overhead: Resources;
  /** Pod-level requests; undefined where the pod sets none. */
  readonly podRequests: Resources | undefined;
  readonly volumes: readonly Volume[];
  readonly resourceClaims: readonly PodResourceClaim[];
  readonly hostNetwork: boolean;
  readonly hostUsers: boolean | undefined;
}

/** State of one container, as the strategies read it. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly waitingReason: string | undefined;
  readonly terminatedReason: string | undefined;
  readonly exitCode: number | undefined;
  /** `resources.requests` of the status: what the kubelet has actually given (in-place resize). */
  readonly requests: Resources | undefined;
  readonly allocated: Resources | undefined;
}

/** A condition of a pod or node. Times are milliseconds since the epoch; undefined where absent or unreadable. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly transitionAt: number | undefined;
  readonly heartbeatAt: number | undefined;
}

/** `status` of a pod, pruned. */
export interface PodStatus {
  /** Pending where the object has none, as an API server fills it in. */
  readonly phase: string;
  readonly reason: string;
  readonly startedAt: number | undefined;
  readonly qosClass: string;
  readonly nominatedNode: string;
  readonly conditions: readonly Condition[];
  readonly containers: readonly ContainerStatus[];
  readonly initContainers: readonly ContainerStatus[];
  readonly ephemeralContainers: readonly ContainerStatus[];
  /** Pod-level resources as given (gate InPlacePodLevelResourcesVerticalScaling). */
  readonly requests: Resources | undefined;
  readonly allocated: Resources | undefined;
  /** Claims made from templates: pod claim name to ResourceClaim name. */
  readonly resourceClaims: Readonly<Record<string, string>>;
}

/** A pod. Identity is `uid`; a dump's pod without one gets a made-up, stable one. Times in ms since the epoch. */
export interface Pod {
  readonly kind: 'Pod';
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Labels;
  /** Only those that decisions read. */
  readonly annotations: Labels;
  readonly createdAt: number | undefined;
  /** Set while terminating. */
  readonly deletedAt: number | undefined;
  readonly generation: number | undefined;
  readonly owners: readonly Owner[];
  /** Empty while not bound. */
  readonly nodeName: string;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** The replacement of an evicted pod on the node that it was promised, as it will be once it is bound. Not there yet. */
export interface AssumedPod extends Pod {
  readonly replaces: Pod;
}

/** Whether the pod is only expected: it counts like any other, but nobody can evict it. */
export function isAssumed(pod: Pod): pod is AssumedPod {
  return 'replaces' in pod;
}

/** Succeeded or Failed: holds no room and is no assigned pod (rule S1). */
export function isFinished(pod: Pod): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
}

/** Not bound to a node, and to be bound to one. */
export function isPending(pod: Pod): boolean {
  return pod.nodeName === '' && pod.status.phase === 'Pending' && !isTerminating(pod);
}

/** Has a deletion timestamp. */
export function isTerminating(pod: Pod): boolean {
  return pod.deletedAt !== undefined;
}

/** The API server's copy of a static pod: annotation `kubernetes.io/config.mirror`. */
export function isMirrorPod(pod: Pod): boolean {
  return pod.annotations['kubernetes.io/config.mirror'] !== undefined;
}

/** From a file or URL of the kubelet: annotation `kubernetes.io/config.source` other than `api`. */
export function isStaticPod(pod: Pod): boolean {
  const source = pod.annotations['kubernetes.io/config.source'];
  return source !== undefined && source !== 'api';
}

/** Owned by a DaemonSet, whatever its API group (rule E5, C5). */
export function isDaemonSetPod(pod: Pod): boolean {
  return pod.owners.some((owner) => owner.kind === 'DaemonSet');
}

/** `namespace/name`, for people; not an identity. The name of an assumed pod is not known, so it is told by its victim's. */
export function podName(pod: Pod): string {
  return isAssumed(pod) ? `the replacement of ${podName(pod.replaces)}` : `${pod.namespace}/${pod.name}`;
}

/** The owner that would replace the pod: the controller reference, else the first. */
export function controllerOf(pod: Pod): Owner | undefined {
  return pod.owners.find((owner) => owner.controller) ?? pod.owners[0];
}
