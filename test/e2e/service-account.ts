import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ApiObject, ControlPlane } from './control-plane.ts';

const manifests = join(import.meta.dirname, '..', '..', 'manifests');
const OF_ACCOUNT = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

/** A service account, and the groups that the API server puts it in. */
export const EVENKEEL = 'system:serviceaccount:kube-system:evenkeel';

/** All objects of the manifests, by the folder they are in. */
export function manifestObjects(): readonly { readonly folder: string; readonly object: ApiObject }[] {
  return readdirSync(manifests).flatMap((folder) =>
    readdirSync(join(manifests, folder))
      .filter((file) => file !== 'kustomization.yaml')
      .flatMap((file) => parseAllDocuments(readFileSync(join(manifests, folder, file), 'utf8')))
      .map((document) => ({ folder, object: document.toJS() as ApiObject })),
  );
}

/** Creates the service account of the manifests and what it may do. */
export async function createServiceAccount(plane: ControlPlane): Promise<void> {
  for (const { folder, object } of manifestObjects())
    if (folder === 'base' && OF_ACCOUNT.includes(object['kind'] as string)) await plane.create(object);
}

/** A token of a service account in kube-system; bound to a Secret, it ends when that is deleted. */
export async function tokenOf(plane: ControlPlane, account: string, secret?: ApiObject): Promise<string> {
  const { name, uid } = (secret?.['metadata'] ?? {}) as { name?: string; uid?: string };
  const boundObjectRef = secret && { apiVersion: 'v1', kind: 'Secret', name, uid };
  const { body, status } = await plane.api('POST', `/api/v1/namespaces/kube-system/serviceaccounts/${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [], expirationSeconds: 3600, ...(boundObjectRef ? { boundObjectRef } : {}) },
  });
  if (status >= 300) throw new Error(JSON.stringify(body));
  return (body['status'] as { token: string }).token;
}

/** Everything that a user may do in the cluster: `verb resource`, over all resources that the API server serves. */
export async function rightsOf(plane: ControlPlane, user: string, namespace: string): Promise<ReadonlySet<string>> {
  const allowed = new Set<string>();
  const questions = (await resources(plane)).flatMap(({ group, resource, subresource, verbs }) =>
    verbs.map((verb) => ({ group, resource, subresource, verb, namespace })),
  );
  const ask = async (): Promise<void> => {
    for (let question = questions.pop(); question; question = questions.pop()) {
      const { group, resource, subresource, verb } = question;
      const name = [resource, subresource].filter((part) => part !== '').join('/') + (group === '' ? '' : `.${group}`);
      if (await mayDo(plane, user, question)) allowed.add(`${verb} ${name}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, ask));
  return allowed;
}

interface Attributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  readonly namespace: string;
}

async function mayDo(plane: ControlPlane, user: string, resourceAttributes: Attributes): Promise<boolean> {
  const { body } = await plane.api('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      resourceAttributes,
    },
  });
  return (body['status'] as { allowed: boolean }).allowed;
}

interface Resource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verbs: readonly string[];
}

async function resources(plane: ControlPlane): Promise<readonly Resource[]> {
  const { body } = await plane.api('GET', '/apis');
  const groups = (body['groups'] as { name: string; preferredVersion: { groupVersion: string } }[]).map(
    ({ name, preferredVersion }) => ({ group: name, path: `/apis/${preferredVersion.groupVersion}` }),
  );
  const lists = await Promise.all(
    [{ group: '', path: '/api/v1' }, ...groups].map(async ({ group, path }) => {
      const list = (await plane.api('GET', path)).body['resources'] as { name: string; verbs: string[] }[];
      return list.map(({ name, verbs }) => {
        const [resource = '', subresource = ''] = name.split('/');
        return { group, resource, subresource, verbs };
      });
    }),
  );
  return lists.flat();
}
