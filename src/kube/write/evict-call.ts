import type { EvictionRequest } from '../../evictor/reservation.ts';
import type { ApiRequest } from '../http/call.ts';

/** Admission webhooks and audit rules for the Go descheduler look for this name. */
const REQUESTED_BY = 'sigs.k8s.io/descheduler';

/** The request of an eviction, with the UID of the pod that was decided on. */
export function evictionCall({ pod, reason, profile, strategy, gracePeriodSeconds }: EvictionRequest): ApiRequest {
  const [namespace, name] = [encodeURIComponent(pod.namespace), encodeURIComponent(pod.name)];
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: {
      name: pod.name,
      namespace: pod.namespace,
      annotations: { 'requested-by': REQUESTED_BY, reason: `profile ${profile}, strategy ${strategy}: ${reason}` },
    },
    deleteOptions: {
      preconditions: { uid: pod.uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    },
  };
  return { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, body };
}
