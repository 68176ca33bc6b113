/** The classes that the demo's pods name, with the values that Kubernetes gives its own two. */
export const PRIORITIES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
  'business-critical': 100_000,
};
