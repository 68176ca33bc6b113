import { z } from 'zod';
import { selectorProblems } from '../cluster/rules/selectors.ts';

/** A list of names; what they name is said where it is used. */
export const names = z.array(z.string()).readonly();

/** A count or a number of seconds: whole and not negative. */
export const count = z.int().min(0);

/** Exit codes of containers, 32 bits as in the API. */
export const exitCodes = z.array(z.int32()).readonly();

/** Two lists of which one at most may have entries; an empty list is no list (rule T1). */
function includeOrExclude(subject: string) {
  return z
    .strictObject({
      include: names.optional().describe(`only these ${subject}`),
      exclude: names.optional().describe(`all ${subject} but these`),
    })
    .refine(({ include = [], exclude = [] }) => include.length === 0 || exclude.length === 0, {
      error: 'include and exclude cannot both have entries',
    });
}

/** The namespaces a strategy looks at. */
export const namespaces = includeOrExclude('namespaces').describe('namespaces whose pods may be evicted');

/** Kinds of owners (`ReplicaSet`, `Job`, …) of the pods a strategy looks at. */
export const ownerKinds = includeOrExclude('owner kinds').describe('kinds of owners whose pods may be evicted');

/** Namespaces that the utilization strategies count but never evict from; `include` is refused (rule T17). */
export const evictableNamespaces = z
  .strictObject({
    include: names.optional().describe('refused: only exclude is possible here'),
    exclude: names.optional().describe('namespaces whose pods are kept, though they count'),
  })
  .refine(({ include = [] }) => include.length === 0, {
    path: ['include'],
    error: 'only exclude is possible here: usage is counted over all namespaces',
  })
  .describe('namespaces whose pods may be evicted');

const requirement = z.strictObject({
  key: z.string().default('').describe('label key'),
  operator: z.string().default('').describe('In, NotIn, Exists or DoesNotExist'),
  values: names.default([]).describe('label values, for In and NotIn'),
});

/** A Kubernetes label selector, refused where the API server would refuse it; `{}` selects everything. */
export const labelSelector = z
  .strictObject({
    matchLabels: z.record(z.string(), z.string()).default({}).describe('labels and their values, all required'),
    matchExpressions: z.array(requirement).readonly().default([]).describe('requirements, all of them to be met'),
  })
  .superRefine((selector, context) => {
    for (const { path, message } of selectorProblems(selector)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .describe('label selector for the pods that may be evicted');

/** Percentages by resource name; at least one (rule T17). */
export const thresholds = z
  .record(z.string(), z.number().min(0).max(100))
  .refine((map) => Object.keys(map).length > 0, { error: 'at least one resource needs a percentage' });

/** Which pods a strategy may choose, as nearly every strategy takes it. */
export const podFilter = {
  namespaces: namespaces.optional(),
  labelSelector: labelSelector.optional(),
};
