import { fieldsOf, type Names, type RawObject } from './names.ts';

/** The name of the demo's only class of volumes. */
export const STORAGE_CLASS = 'network-disk';

/** Network disks that are made where the pod runs, as cloud providers set them up. */
export function storageClass(names: Names): RawObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: fieldsOf(STORAGE_CLASS, names),
    provisioner: 'disk.csi.example',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
}
