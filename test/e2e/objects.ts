import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { recorder } from '../cli/recorder.ts';
import type { ApiObject, ControlPlane } from './control-plane.ts';

/** A ready node with 4 CPUs. */
export function node(name: string, zone: string, labels: Readonly<Record<string, string>> = {}): ApiObject {
  const capacity = { cpu: '4', memory: '8Gi', pods: '60' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone, ...labels } },
    status: { capacity, allocatable: capacity, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** A running pod of a ReplicaSet; `spec` and `status` add to what it is. */
export function pod(
  name: string,
  parts: { namespace: string; on: string; owner?: string; spec?: object; status?: object },
): ApiObject {
  const { namespace, on, owner = name, spec = {}, status = {} } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { app: owner },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: ownerUid(owner), controller: true },
      ],
    },
    spec: { nodeName: on, terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'c' }], ...spec },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
  };
}

const uids = new Map<string, string>();

function ownerUid(owner: string): string {
  const uid = uids.get(owner) ?? randomUUID();
  uids.set(owner, uid);
  return uid;
}

/** A namespace. */
export function namespace(name: string): ApiObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** A policy with one profile, of strategies and their arguments. */
export function policyOf(strategies: Readonly<Record<string, object>>, evictor: object = { nodeFit: true }): object {
  const names = Object.keys(strategies);
  const isBalance = (name: string) => /Duplicates|Utilization|Spread/u.test(name);
  return {
    apiVersion: 'descheduler/v1alpha2',
    kind: 'DeschedulerPolicy',
    profiles: [
      {
        name: 'e2e',
        pluginConfig: [
          { name: 'DefaultEvictor', args: evictor },
          ...names.map((name) => ({ name, args: strategies[name] })),
        ],
        plugins: {
          deschedule: { enabled: names.filter((name) => !isBalance(name)) },
          balance: { enabled: names.filter(isBalance) },
        },
      },
    ],
  };
}

/** What the JSON report says, as far as tests read it. */
export interface Report {
  readonly evictions: readonly {
    readonly namespace: string;
    readonly pod: string;
    readonly uid: string;
    readonly result: string;
    readonly error?: string;
    readonly reason: string;
  }[];
  readonly refusals: readonly { readonly pod: string; readonly refusedBy: string }[];
  readonly strategies: readonly object[];
  readonly warnings: readonly string[];
  readonly error?: string;
}

/** How a run of the program ended. */
export interface Ended {
  readonly exitCode: number;
  readonly printed: string;
  readonly complained: string;
}

/** Writes a policy into the folder of the control plane, and answers with its path. */
export function writePolicy(plane: ControlPlane, policy: object, name = 'policy'): string {
  const file = join(plane.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(policy));
  return file;
}

/** Runs the program within this process. */
export async function evenkeel(...argv: readonly string[]): Promise<Ended> {
  const { terminal, printed, complained } = recorder();
  const exitCode = await runProgram(argv, terminal);
  return { exitCode, printed: printed(), complained: complained() };
}

/** One cycle on the control plane; the report, and the exit code. */
export async function cycle(plane: ControlPlane, policy: object, ...argv: readonly string[]): Promise<Report & Ended> {
  const file = writePolicy(plane, policy);
  const given = argv.includes('--kubeconfig') ? [] : ['--kubeconfig', plane.kubeconfig('admin')];
  const ended = await evenkeel('run', ...given, '--policy-config-file', file, '-o', 'json', ...argv);
  if (ended.printed === '') throw new Error(`exit code ${ended.exitCode}: ${ended.complained}`);
  return { ...(JSON.parse(ended.printed) as Report), ...ended };
}

/** Names of the pods in a namespace that are there and not on their way out, sorted. */
export async function podsIn(plane: ControlPlane, name: string): Promise<readonly string[]> {
  const { body } = await plane.api('GET', `/api/v1/namespaces/${name}/pods`);
  const items = body['items'] as { metadata: { name: string; deletionTimestamp?: string } }[];
  return items.flatMap(({ metadata }) => (metadata.deletionTimestamp ? [] : [metadata.name])).sort();
}
