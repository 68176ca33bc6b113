import { isFinished, isTerminating, type Pod } from '../cluster/objects/pod.ts';
import { requestsOf } from '../cluster/amounts/requests.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { priorityOf } from './candidate.ts';
import type { Places } from './counts/places.ts';
import type { Change } from './counts/residents.ts';

/** Pending pods that a node is kept free for: `status.nominatedNodeName` without a node (rule S5). */
export class Nominations {
  readonly pods: readonly Pod[];
  readonly #byPlace = new Map<number, Change[]>();

  constructor(snapshot: Snapshot, places: Places) {
    this.pods = snapshot.pods.filter(
      (pod) => pod.status.nominatedNode !== '' && pod.nodeName === '' && !isFinished(pod) && !isTerminating(pod),
    );
    for (const pod of this.pods) {
      const place = places.of(pod.status.nominatedNode);
      if (place === undefined) continue;
      const resident = { pod, place, requests: requestsOf(pod.spec), leaving: false };
      this.#byPlace.set(place, [...(this.#byPlace.get(place) ?? []), { resident, sign: 1 }]);
    }
  }

  /** Where somebody is nominated. */
  places(): Iterable<number> {
    return this.#byPlace.keys();
  }

  /** Those on the place that this pod has to let pass: of equal or higher priority, not itself. */
  before(pod: Pod, place: number): readonly Change[] {
    const nominated = this.#byPlace.get(place);
    if (!nominated) return NOBODY;
    return nominated.filter(
      ({ resident }) => resident.pod.uid !== pod.uid && priorityOf(resident.pod) >= priorityOf(pod),
    );
  }
}

const NOBODY: readonly never[] = [];
