import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_POLICY } from '../../src/demo/policy.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';
import { demoObjects } from '../../src/demo/cluster.ts';
import { DEMO_NOW } from '../../src/demo/names.ts';
import { explainNode } from '../../src/explain/node.ts';
import { explainPod } from '../../src/explain/pod.ts';
import { readScenario } from '../../src/outage/load-scenario.ts';
import { simulateOutage } from '../../src/outage/simulate.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { renderExplanation } from '../../src/report/explanation.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderOutage } from '../../src/report/outage.ts';
import { renderTable } from '../../src/report/table.ts';
import { contentsOf, type Raw } from '../builders/contents.ts';
import { changed, type FieldPath } from '../builders/fields.ts';
import { cycle } from '../descheduler/policies.ts';

/** A value at one place, in all objects of the kind or in every third. */
export interface Extreme extends FieldPath {
  readonly value: unknown;
  readonly inAll: boolean;
}

/** A cluster with extreme values, and which policy to run on it, with one of its numbers replaced. */
export interface ExtremeCase {
  readonly extremes: readonly Extreme[];
  readonly policy: string;
  /** Which of the policy's numbers, counted round and round; undefined leaves it as it is. */
  readonly setting: { readonly at: number; readonly value: number } | undefined;
}

const folder = join(import.meta.dirname, '..', '..', 'policies');

/** Policies for every strategy and limit, by name. */
export const POLICIES: ReadonlyMap<string, string> = new Map([
  ['the default', DEFAULT_POLICY],
  ...readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const),
]);

const CANVAS = { width: 80, colors: false };

/** Everything that is said about the cluster, by what says it; nothing where the policy is refused. */
export async function saidOf({ extremes, policy, setting }: ExtremeCase): Promise<ReadonlyMap<string, string>> {
  const said = new Map<string, string>();
  const result = loadPolicy(withSetting(POLICIES.get(policy) ?? '', setting));
  if (!result.ok) return said;
  const rules = result.policy;
  const snapshot = new Snapshot(contentsOf(objectsWith(extremes)));
  const report = await cycle(rules, snapshot);
  const grounds = { policy: rules, snapshot, report };
  said.set('json', renderJson(report));
  said.set('table', renderTable(report, CANVAS));
  for (const pod of snapshot.pods.slice(0, 5)) {
    said.set(`pod ${pod.name}`, renderExplanation(explainPod(pod, grounds), CANVAS));
  }
  for (const node of snapshot.nodes.slice(0, 5)) {
    said.set(`node ${node.name}`, renderExplanation(explainNode(node, grounds), CANVAS));
  }
  const outage = await simulateOutage(snapshot, SCENARIO, { now: Date.parse(DEMO_NOW) });
  const page = { source: report.source, report: outage, comparisons: [], warnings: [] };
  for (const format of ['json', 'table'] as const) said.set(`outage ${format}`, renderOutage(page, format, CANVAS));
  return said;
}

/** Numbers stand behind a colon or in brackets. */
function withSetting(text: string, setting: ExtremeCase['setting']): string {
  const numbers = [
    ...text.replaceAll(/#.*/gu, (comment) => ' '.repeat(comment.length)).matchAll(/(?<=[:[,] )\d+\b(?!%)/gu),
  ];
  const number = setting && numbers[setting.at % numbers.length];
  if (!number) return text;
  return text.slice(0, number.index) + String(setting.value) + text.slice(number.index + number[0].length);
}

const SCENARIO = readScenario({
  file: 'scenario.yaml',
  text: `
apiVersion: evenkeel.io/v1alpha1
kind: OutageScenario
duration: 15m
events:
- {at: 0s, stopKubelet: {selector: {}}}
- {at: 8m, startKubelet: {selector: {}}}
`,
});

/** The demo's cluster with measured usage and Leases. */
function objectsWith(extremes: readonly Extreme[]): readonly Raw[] {
  const objects = demoObjects() as readonly Raw[];
  const of = (kind: string) => objects.filter((it) => it.kind === kind).map(({ metadata }) => metadata);
  const usage = { cpu: '1', memory: '1Gi' };
  const all = [
    ...objects,
    ...of('Node').flatMap(({ name }) => [
      { kind: 'NodeMetrics', metadata: { name }, timestamp: DEMO_NOW, usage },
      {
        kind: 'Lease',
        metadata: { name, namespace: 'kube-node-lease' },
        spec: { renewTime: DEMO_NOW, leaseDurationSeconds: 40 },
      },
    ]),
    ...of('Pod').map(({ name, namespace }) => ({
      kind: 'PodMetrics',
      metadata: { name, namespace },
      containers: [{ name: 'main', usage }],
    })),
  ] as readonly Raw[];
  return all.map((object, i) =>
    extremes
      .filter(({ kind, inAll }) => kind === object.kind && (inAll || i % 3 === 0))
      .reduce((it, { path, value }) => changed(it, path, () => value), object),
  );
}
