import type { Claim, StorageClass, Volume } from '../../cluster/objects/kinds.ts';
import type { Pod } from '../../cluster/objects/pod.ts';
import { labelOf } from '../../cluster/rules/selectors.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { Candidate } from '../candidate.ts';
import { keyedBy } from '../counts/memo.ts';
import type { Warnings } from '../warnings.ts';

/** A claim that a pod uses. */
export interface ClaimUse {
  readonly namespace: string;
  readonly name: string;
  /** Undefined if there is no such object. */
  readonly claim: Claim | undefined;
  /** A generic ephemeral volume of the pod to place: its claim will be made anew, bound to nothing (rule S28). */
  readonly fresh: boolean;
}

/** The persistent volume claims of pods, and what they are bound to. */
export class VolumeClaims {
  readonly #snapshot: Snapshot;
  readonly #warnings: Warnings;

  constructor(snapshot: Snapshot, warnings: Warnings) {
    this.#snapshot = snapshot;
    this.#warnings = warnings;
  }

  /** The claims of a assigned pod; that of a generic ephemeral volume is named after pod and volume. */
  readonly of = keyedBy((pod: Pod): readonly ClaimUse[] =>
    pod.spec.volumes.flatMap((volume) => {
      if (volume.kind === 'claim') return this.#use(pod.namespace, volume.claim);
      return volume.kind === 'ephemeral' ? this.#use(pod.namespace, `${pod.name}-${volume.name}`) : [];
    }),
  );

  /** The claims that the pod to place will have; none, and a warning, if claims could not be read. */
  wanted({ pod, spec }: Candidate): readonly ClaimUse[] {
    if (!spec.volumes.some(({ kind }) => kind === 'claim' || kind === 'ephemeral')) return NONE;
    return this.#warnings.knows('PersistentVolumeClaim', 'volumes') ? this.#wantedBy(pod) : NONE;
  }

  /** The volume that a claim names, if it exists. */
  volume({ volumeName }: Claim): Volume | undefined {
    return this.#snapshot.find('PersistentVolume', '', volumeName);
  }

  /** The class that a claim names, if it exists. */
  storageClass({ storageClass }: Claim): StorageClass | undefined {
    return storageClass ? this.#snapshot.find('StorageClass', '', storageClass) : undefined;
  }

  readonly #wantedBy = keyedBy((pod: Pod): readonly ClaimUse[] =>
    pod.spec.volumes.flatMap((volume) => {
      if (volume.kind === 'claim') return this.#use(pod.namespace, volume.claim);
      return volume.kind === 'ephemeral' ? this.#freshUse(pod, volume) : [];
    }),
  );

  #use(namespace: string, name: string): ClaimUse {
    const claim = this.#snapshot.find('PersistentVolumeClaim', namespace, name);
    // As an API server does, also for claims that were there before the default class was. An empty text is no class.
    const isOpen = claim?.storageClass === undefined && claim?.volumeName === '';
    return { namespace, name, claim: isOpen ? { ...claim, storageClass: this.#defaultClass } : claim, fresh: false };
  }

  get #defaultClass(): string | undefined {
    return this.#snapshot.list('StorageClass').find(({ isDefault }) => isDefault)?.name;
  }

  /** As large as the one that the victim has, in a class that admission fills in. */
  #freshUse(pod: Pod, volume: { readonly name: string; readonly storageClass: string | undefined }): ClaimUse {
    const name = `${pod.name}-${volume.name}`;
    const old = this.#use(pod.namespace, name).claim;
    const storageClass = volume.storageClass ?? old?.storageClass ?? this.#defaultClass;
    const claim: Claim = { ...EMPTY_CLAIM, ...old, ...UNBOUND, name, namespace: pod.namespace, storageClass };
    return { namespace: pod.namespace, name, claim, fresh: true };
  }
}

/** Whether a claim is bound for good (rule S13). */
export function isBound({ volumeName, annotations }: Claim): boolean {
  return volumeName !== '' && labelOf(annotations, 'pv.kubernetes.io/bind-completed') !== undefined;
}

const NONE: readonly never[] = [];

const UNBOUND = { annotations: {}, deletedAt: undefined, volumeName: '', phase: 'Pending' };

const EMPTY_CLAIM: Omit<Claim, 'name' | 'namespace'> = {
  kind: 'PersistentVolumeClaim',
  uid: '',
  labels: {},
  owners: [],
  accessModes: [],
  storageClass: undefined,
  volumeMode: 'Filesystem',
  attributesClass: undefined,
  requestBytes: 0,
  selector: undefined,
  ...UNBOUND,
};
