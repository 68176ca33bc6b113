import { budgetsOf } from '../../cluster/rules/disruption-budgets.ts';
import { isDaemonSetPod, type Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { DefaultEvictorArgs, Protection } from './args.ts';
import { EVICT_ANNOTATION, type Constraint } from './constraint.ts';
import { SYSTEM_CRITICAL_PRIORITY } from './priority-threshold.ts';

/** What protections must know besides the pod. */
export interface ProtectionView {
  readonly snapshot: Snapshot;
  readonly threshold: number | undefined;
}

/** The protections of rule E5 (C1 to C8) that the arguments leave on, in that order. */
export function protections(args: DefaultEvictorArgs, view: ProtectionView): readonly Constraint[] {
  return [
    ...when(args, 'SystemCriticalPods', criticalPod),
    ...priorityThreshold(view.threshold),
    bareConstraint(args),
    ...when(args, 'PodsWithLocalStorage', localStorage),
    ...when(args, 'DaemonSetPods', daemonSetPod),
    ...when(args, 'PodsWithPVC', (pod) => claims(pod, args, view.snapshot)),
    ...when(args, 'PodsWithoutPDB', (pod) => withoutBudget(pod, view.snapshot)),
    ...when(args, 'PodsWithResourceClaims', resourceClaims),
  ];
}

/** The setting that lets a protected pod go, in the words the policy uses: its older flags or `podProtections`. */
const REMEDIES: Readonly<Record<Protection, { readonly flag: string; readonly list: string }>> = {
  SystemCriticalPods: disabled('SystemCriticalPods', 'evictSystemCriticalPods: true'),
  FailedBarePods: disabled('FailedBarePods', 'evictFailedBarePods: true'),
  PodsWithLocalStorage: disabled('PodsWithLocalStorage', 'evictLocalStoragePods: true'),
  DaemonSetPods: disabled('DaemonSetPods', 'evictDaemonSetPods: true'),
  PodsWithPVC: enabled('PodsWithPVC', 'ignorePvcPods'),
  PodsWithoutPDB: enabled('PodsWithoutPDB', 'ignorePodsWithoutPDB'),
  PodsWithResourceClaims: enabled('PodsWithResourceClaims', 'podProtections.extraEnabled: [PodsWithResourceClaims]'),
};

function disabled(protection: Protection, flag: string): { flag: string; list: string } {
  return {
    flag: `${flag} would allow its eviction`,
    list: `podProtections.defaultDisabled: [${protection}] would allow its eviction`,
  };
}

function enabled(protection: Protection, flag: string): { flag: string; list: string } {
  return { flag: `kept by ${flag}`, list: `kept by podProtections.extraEnabled: [${protection}]` };
}

function remedy(args: DefaultEvictorArgs, protection: Protection): string {
  return args.legacyFlags ? REMEDIES[protection].flag : REMEDIES[protection].list;
}

function when(
  args: DefaultEvictorArgs,
  name: Protection,
  find: (pod: Pod) => string | undefined,
): readonly Constraint[] {
  if (!args.protections.has(name)) return [];
  const judge = (pod: Pod) => {
    const found = find(pod);
    return found === undefined ? undefined : `${found}; ${remedy(args, name)}`;
  };
  return [{ name, overridable: true, judge }];
}

function criticalPod({ spec: { priority, priorityClassName } }: Pod): string | undefined {
  if (priority === undefined || priority < SYSTEM_CRITICAL_PRIORITY) return undefined;
  const origin = priorityClassName ? ` (${priorityClassName})` : '';
  return `is critical to the system: its priority ${priority}${origin} is ${SYSTEM_CRITICAL_PRIORITY} or more`;
}

/**
 * Differs from the reference: stays in force when SystemCriticalPods is switched off (rule E6).
 * Without a threshold in the policy there is nothing to add to SystemCriticalPods, which guards the same priorities.
 */
function priorityThreshold(threshold: number | undefined): readonly Constraint[] {
  if (threshold === undefined) return [];
  const judge = ({ spec: { priority } }: Pod) =>
    priority === undefined || priority < threshold
      ? undefined
      : `has priority ${priority}, not below the priorityThreshold of ${threshold}`;
  return [{ name: 'priorityThreshold', overridable: true, judge }];
}

/** Bare pods stay, for nothing would replace them; those that have failed may be released (C3a, C3b; 7.2, number 6). */
function bareConstraint(args: DefaultEvictorArgs): Constraint {
  const protectsFailed = args.protections.has('FailedBarePods');
  const judge = (pod: Pod) => {
    if (pod.owners.length > 0) return undefined;
    const failed = pod.status.phase === 'Failed';
    if (failed && !protectsFailed) return undefined;
    const bare = `is a bare pod in phase ${pod.status.phase}: it has no owner that would replace it`;
    if (failed) return `${bare}; ${remedy(args, 'FailedBarePods')}`;
    return `${bare}; only the annotation ${EVICT_ANNOTATION} would allow its eviction (${failedOnly(args, protectsFailed)})`;
  };
  return { name: 'FailedBarePods', overridable: true, judge };
}

function failedOnly(args: DefaultEvictorArgs, protectsFailed: boolean): string {
  const setting = args.legacyFlags ? 'evictFailedBarePods: true' : 'podProtections.defaultDisabled: [FailedBarePods]';
  return protectsFailed
    ? `${setting} frees bare pods that have failed`
    : `FailedBarePods is off, but the pod has not failed`;
}

/** `hostPath` and `emptyDir`, in memory too; local persistent volumes and ephemeral claims are none of these (C4). */
function localStorage(pod: Pod): string | undefined {
  const volume = pod.spec.volumes.find(({ kind }) => kind === 'hostPath' || kind === 'emptyDir');
  return volume && `keeps data in local storage: volume ${volume.name} is ${article(volume.kind)}`;
}

function article(kind: string): string {
  return kind === 'emptyDir' ? 'an emptyDir' : `a ${kind}`;
}

function daemonSetPod(pod: Pod): string | undefined {
  if (!isDaemonSetPod(pod)) return undefined;
  const owner = pod.owners.find(({ kind }) => kind === 'DaemonSet');
  return `belongs to DaemonSet ${owner?.name ?? ''}, which would put it back on ${pod.nodeName || 'its node'}`;
}

/** All claims, or those of the classes that the policy lists; a claim of unknown class counts as protected (C6). */
function claims(pod: Pod, args: DefaultEvictorArgs, snapshot: Snapshot): string | undefined {
  for (const volume of pod.spec.volumes) {
    if (volume.kind !== 'claim') continue;
    const found = claimReason(volume.claim, pod.namespace, { args, snapshot });
    if (found !== undefined) return found;
  }
  return undefined;
}

function claimReason(
  name: string,
  namespace: string,
  { args, snapshot }: { readonly args: DefaultEvictorArgs; readonly snapshot: Snapshot },
): string | undefined {
  const classes = args.protectedStorageClasses;
  if (classes.length === 0) return `uses the PersistentVolumeClaim ${name}`;
  const claim = snapshot.find('PersistentVolumeClaim', namespace, name);
  if (!claim)
    return `uses the PersistentVolumeClaim ${name}, which is not known, so its storage class may be a protected one`;
  if (!claim.storageClass)
    return `uses the PersistentVolumeClaim ${name}, which names no storage class and may be of a protected one`;
  if (!classes.includes(claim.storageClass)) return undefined;
  return `uses the PersistentVolumeClaim ${name} of the protected storage class ${claim.storageClass}`;
}

/** Where budgets are not known at all the pod stays, too: a protection must not fail open. */
function withoutBudget(pod: Pod, snapshot: Snapshot): string | undefined {
  if (budgetsOf(pod, snapshot).length > 0) return undefined;
  const known = snapshot.knows('PodDisruptionBudget') ? '' : ' (no PodDisruptionBudget of this cluster is known)';
  return `is covered by no PodDisruptionBudget in namespace ${pod.namespace}${known}`;
}

function resourceClaims(pod: Pod): string | undefined {
  const [first] = pod.spec.resourceClaims;
  return first && `holds the resource claim ${first.claim ?? first.template ?? first.name}`;
}
