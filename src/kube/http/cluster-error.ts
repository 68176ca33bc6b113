import type { ApiFailure } from './failure.ts';
import { isRequired, resourceOf, type LiveKind } from './paths.ts';

/** The cluster could not be read; `message` says why and what to do. Exit code 1. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

/** What could not be done, with the remedy for its cause. */
export function clusterError(what: string, failure: ApiFailure, server: string): ClusterError {
  if (failure.kind === 'aborted') return new ClusterError('ended by a signal while the cluster was read');
  return new ClusterError(`${what}${remedy(failure, server)}`);
}

/** A kind that may not be listed, or that the server does not have, is unknown: the warning. Anything else is thrown. */
export function unknownKind(kind: LiveKind, failure: ApiFailure, server: string): string {
  const absent = failure.kind === 'forbidden' || failure.kind === 'not-found';
  if (isRequired(kind) || !absent) {
    throw clusterError(`cannot list ${resourceOf(kind)}: ${failure.message}`, failure, server);
  }
  const why = failure.kind === 'forbidden' ? 'may not be listed' : 'does not exist on this server';
  return `${kind} ${why}: rules that read it are skipped`;
}

function remedy({ kind, message }: ApiFailure, server: string): string {
  const at = message.includes(server) ? 'it' : server;
  switch (kind) {
    case 'unauthorized':
      return `. ${server} does not accept these credentials: renew the token or log in again`;
    case 'forbidden':
      return '. Grant list and watch on it: manifests/base/rbac.yaml has all that is needed';
    case 'not-found':
    case 'invalid':
      return `. ${server} does not look like a Kubernetes API server: check the address in the kubeconfig`;
    case 'certificate':
    case 'no-credentials':
      return '';
    default:
      return `. Check the address, and that ${at} can be reached and is healthy`;
  }
}
