import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { program } from '../src/cli/program.ts';
import { VERSION } from '../src/cli/version.ts';
import { recorder } from './cli/recorder.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

const folder = join(import.meta.dirname, '..', 'manifests', 'lifecycle');
const documents = (file: string) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as unknown);
const rbac = documents('rbac.yaml') as readonly Manifest[];

describe('the manifests of the lifecycle controllers', () => {
  it('grant what the controllers ask for, and nothing else', () => {
    const granted = rbac.flatMap(({ metadata, rules = [] }) =>
      rules.flatMap((rule) => rights(rule).map((right) => `${metadata.namespace ?? '*'}: ${right}`)),
    );
    assert.deepEqual(granted.sort(), [
      ...['create events.events.k8s.io', 'create pods/eviction', 'delete pods', 'get nodes', 'get pods'].map(
        everywhere,
      ),
      ...['list events', 'list nodes', 'list pods', 'patch nodes', 'patch nodes/status', 'patch pods/status'].map(
        everywhere,
      ),
      ...['watch nodes', 'watch pods'].map(everywhere),
      ...['get', 'list', 'watch'].map((verb) => `kube-node-lease: ${verb} leases.coordination.k8s.io`),
      'kube-system: create leases.coordination.k8s.io',
      'kube-system: get leases.coordination.k8s.io evenkeel-lifecycle',
      'kube-system: get leases.coordination.k8s.io kube-controller-manager',
      'kube-system: update leases.coordination.k8s.io evenkeel-lifecycle',
    ]);
  });

  it('bind every role to the account in its namespace', () => {
    const bindings = rbac.filter(({ roleRef }) => roleRef !== undefined);
    const account = [{ kind: 'ServiceAccount', name: 'evenkeel-lifecycle', namespace: 'kube-system' }];
    assert.deepEqual(
      bindings.map(({ metadata, roleRef, subjects }) => [metadata.namespace, roleRef?.kind, roleRef?.name, subjects]),
      [
        [undefined, 'ClusterRole', 'evenkeel-lifecycle', account],
        ['kube-node-lease', 'Role', 'evenkeel-lifecycle', account],
        ['kube-system', 'Role', 'evenkeel-lifecycle', account],
      ],
    );
  });

  it('start the command with flags that it takes, observing', () => {
    const [{ spec }] = documents('deployment.yaml') as [
      { spec: { template: { spec: { serviceAccountName: string; containers: { args: string[] }[] } } } },
    ];
    assert.equal(spec.template.spec.serviceAccountName, 'evenkeel-lifecycle');
    const [command, ...flags] = spec.template.spec.containers[0]?.args ?? [];
    const { commands } = program({ terminal: recorder().terminal, finish: () => Promise.resolve() });
    const known = commands.find((it) => it.name() === command)?.options.map(({ long }) => long);
    assert.deepEqual(
      flags.map((flag) => flag.replace(/=.*/u, '')).filter((flag) => !known?.includes(flag)),
      [],
    );
    assert.ok(flags.includes('--mode=observe'));
  });

  it('name the image of this version, and leave each object in its namespace', () => {
    const [{ images, namespace }] = documents('kustomization.yaml') as [{ images: object[]; namespace?: string }];
    assert.deepEqual([images, namespace], [[{ name: 'evenkeel', newTag: VERSION }], undefined]);
  });
});

function everywhere(right: string): string {
  return `*: ${right}`;
}

function rights({ apiGroups, resources, resourceNames, verbs }: Rule): readonly string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => [verb, group === '' ? resource : `${resource}.${group}`, ...(resourceNames ?? [])].join(' ')),
    ),
  );
}
