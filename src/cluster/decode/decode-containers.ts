import { amountsOf, requestsWithLimits, sorted } from './decode-parts.ts';
import type { ContainerFields, VolumeFields } from './decode-table-pod.ts';
import type { Container, HostPort, PodSpec, Volume } from '../objects/pod.ts';
import { isPodLevel, peakOf } from '../amounts/requests.ts';
import type { Resources } from '../amounts/resources.ts';

/** Containers of a spec, in its order. */
export function containersOf(
  fields: readonly ContainerFields[] | undefined,
  hostNetwork: boolean,
): readonly Container[] {
  return (fields ?? []).map((container) => ({
    name: container.name ?? '',
    image: container.image ?? '',
    requests: requestsWithLimits(container.resources),
    limits: amountsOf(container.resources?.limits),
    hostPorts: hostPortsOf(container.ports, hostNetwork),
    sidecar: container.restartPolicy === 'Always',
    restartsAll: (container.restartPolicyRules ?? []).some((rule) => rule.action === 'RestartAllContainers'),
  }));
}

/**
 * Pod-level requests with what the API server fills in as soon as there is a pod-level limit: of cpu and memory what the
 * containers ask for together, of anything else the limit. Hugepages of containers count as a limit, too.
 */
export function podRequestsOf(
  fields: ContainerFields['resources'],
  containers: Pick<PodSpec, 'containers' | 'initContainers'>,
): Resources | undefined {
  if (!fields) return undefined;
  const asked = peakOf(containers);
  const limits = { ...only(asked, isHugepages), ...only(amountsOf(fields.limits), isPodLevel) };
  if (Object.keys(limits).length === 0) return fields.requests && amountsOf(fields.requests);
  return sorted({
    ...limits,
    ...only(asked, (name) => isPodLevel(name) && !isHugepages(name)),
    ...amountsOf(fields.requests),
  });
}

/**
 * Volumes that a rule reads; all others are left out (they would tell no two pods apart that matter). A volume without a
 * source is an emptyDir, as the API server has it.
 */
export function volumesOf(fields: readonly VolumeFields[] | undefined): readonly Volume[] {
  return (fields ?? []).map(volumeOf);
}

/** With the host's network the API server fills `hostPort` from `containerPort`; a template may lack it (rule S9). */
function hostPortsOf(ports: ContainerFields['ports'], hostNetwork: boolean): readonly HostPort[] {
  return (ports ?? []).flatMap(({ containerPort, hostPort, hostIP, protocol }) => {
    const port = hostPort || (hostNetwork ? containerPort : undefined);
    return port === undefined || port <= 0 ? [] : [{ ip: hostIP || '0.0.0.0', protocol: protocol || 'TCP', port }];
  });
}

function volumeOf(volume: VolumeFields): Volume {
  const name = volume.name ?? '';
  if (volume.hostPath) return { kind: 'hostPath', name };
  if (volume.persistentVolumeClaim) {
    return { kind: 'claim', name, claim: volume.persistentVolumeClaim.claimName ?? '' };
  }
  if (volume.ephemeral) {
    return { kind: 'ephemeral', name, storageClass: volume.ephemeral.volumeClaimTemplate?.spec?.storageClassName };
  }
  if (volume.image) return { kind: 'image', name, image: volume.image.reference ?? '' };
  return diskOf(volume, name) ?? { kind: 'emptyDir', name };
}

function diskOf(volume: VolumeFields, name: string): Volume | undefined {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = volume;
  if (gce) return { kind: 'gce', name, disk: gce.pdName ?? '', monitors: [], readOnly: gce.readOnly === true };
  if (aws) return { kind: 'aws', name, disk: aws.volumeID ?? '', monitors: [], readOnly: aws.readOnly === true };
  if (iscsi) return { kind: 'iscsi', name, disk: iscsi.iqn ?? '', monitors: [], readOnly: iscsi.readOnly === true };
  if (!rbd) return undefined;
  const disk = `${rbd.pool || 'rbd'}/${rbd.image ?? ''}`;
  return { kind: 'rbd', name, disk, monitors: rbd.monitors ?? [], readOnly: rbd.readOnly === true };
}

function only(amounts: Resources, wanted: (name: string) => boolean): Resources {
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => wanted(name)));
}

function isHugepages(name: string): boolean {
  return name.startsWith('hugepages-');
}
