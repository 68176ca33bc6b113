import { demoNodes } from './nodes.ts';
import { PRIORITIES } from './priorities.ts';
import { storageObjects } from './storage.ts';
import { demoPods } from './pods.ts';
import { fieldsOf, seededNames, type Names, type RawObject } from './names.ts';
import { DEMO_WORKLOADS, type DemoWorkload } from './workloads.ts';

const SEED = 20260115;

/**
 * The objects of a made-up cluster that looks like one in production: four pools in three zones, a node that has just gone
 * silent, one that has just come back, and something to do for every strategy of the README's policy. Always the same.
 */
export function demoObjects(): readonly RawObject[] {
  const names = seededNames(SEED);
  const nodes = demoNodes(names);
  const namespaces = [...new Set(DEMO_WORKLOADS.map((workload) => workload.namespace))];
  return [
    ...nodes.values(),
    ...namespaces.map((name) => rawNamespace(name, names)),
    ...priorityClasses(names),
    ...storageObjects(nodes, names),
    ...DEMO_WORKLOADS.flatMap((workload) => demoPods(workload, { nodes, names })),
    ...DEMO_WORKLOADS.flatMap((workload) => budget(workload, names)),
  ];
}

function rawNamespace(name: string, names: Names): RawObject {
  const metadata = { ...fieldsOf(name, names), labels: { 'kubernetes.io/metadata.name': name } };
  return { apiVersion: 'v1', kind: 'Namespace', metadata };
}

function priorityClasses(names: Names): readonly RawObject[] {
  return Object.entries(PRIORITIES).map(([name, value]) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: fieldsOf(name, names),
    value,
  }));
}

function budget(workload: DemoWorkload, names: Names): readonly RawObject[] {
  const { namespace, name, disruptionsAllowed, on } = workload;
  if (disruptionsAllowed === undefined) return [];
  const desiredHealthy = on.length - disruptionsAllowed;
  return [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { ...fieldsOf(name, names), namespace, generation: 1 },
      spec: { minAvailable: desiredHealthy, selector: { matchLabels: { app: name } } },
      status: {
        observedGeneration: 1,
        disruptionsAllowed,
        currentHealthy: on.length,
        desiredHealthy,
        expectedPods: on.length,
      },
    },
  ];
}
