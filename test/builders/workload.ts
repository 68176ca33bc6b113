import type { Workload } from '../../src/cluster/objects/kinds.ts';
import type { Owner } from '../../src/cluster/objects/pod.ts';
import { freeze } from './cluster.ts';

/** A workload object of namespace default; `owners` as `Kind/name`, each the controller. */
export function workload<K extends Workload['kind']>(
  kind: K,
  name: string,
  over: { readonly owners?: readonly string[]; readonly namespace?: string; readonly controller?: boolean } = {},
): Workload & { readonly kind: K } {
  const { owners = [], namespace = 'default', controller = true } = over;
  return freeze({
    kind,
    name,
    namespace,
    uid: `uid-${kind}-${name}`,
    labels: {},
    owners: owners.map((text) => ownerOf(text, controller)),
    selector: undefined,
    templateRequests: undefined,
    podReplacementPolicy: undefined,
  });
}

function ownerOf(text: string, controller: boolean): Owner {
  const [kind = '', name = ''] = text.split('/');
  return { kind, name, uid: `uid-${kind}-${name}`, apiVersion: 'apps/v1', controller };
}
