import { fieldsOf, type Names, type RawObject } from './names.ts';

/** The name of the demo's only class of volumes. */
export const STORAGE_CLASS = 'network-disk';

/** The program that makes and attaches the demo's volumes. */
export const DRIVER = 'disk.csi.example';

/** Network disks that are made where the pod runs, as cloud providers set them up, and how many a node can attach. */
export function storageObjects(nodes: ReadonlyMap<string, RawObject>, names: Names): readonly RawObject[] {
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: fieldsOf(STORAGE_CLASS, names),
    provisioner: DRIVER,
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  const limits = [...nodes.values()].map(({ metadata }) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: fieldsOf(metadata.name, names),
    spec: { drivers: [{ name: DRIVER, nodeID: metadata.name, allocatable: { count: 25 } }] },
  }));
  return [storageClass, ...limits];
}
