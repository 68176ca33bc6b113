import type { LabelSelector, Requirement } from '../../cluster/objects/terms.ts';
import { z } from 'zod';
import { parseSelector } from '../../cluster/rules/selectors.ts';
import { parseDuration } from '../../lib/duration.ts';
import { DEFAULT_PROTECTIONS, effectiveProtections, podProtections, protectionProblems } from './protections.ts';
import type { Protection } from './protections.ts';

export type { Protection } from './protections.ts';

/** Checked arguments of DefaultEvictor, legacy flags already turned into protections. */
export interface DefaultEvictorArgs {
  readonly nodeFit: boolean;
  readonly nodeSelector: readonly Requirement[] | undefined;
  readonly labelSelector: LabelSelector | undefined;
  readonly namespaceLabelSelector: LabelSelector | undefined;
  /** By value, or the name of a PriorityClass that is looked up in every cycle; undefined is 2,000,000,000. */
  readonly priorityThreshold: { readonly value: number } | { readonly name: string } | undefined;
  /** 0 and 1 switch the check off. */
  readonly minReplicas: number;
  readonly minPodAgeMs: number | undefined;
  readonly noEvictionPolicy: 'Preferred' | 'Mandatory';
  readonly protections: ReadonlySet<Protection>;
  readonly protectedStorageClasses: readonly string[];
  /** Settings as the policy names them, for hints: whether legacy flags or podProtections were used. */
  readonly legacyFlags: boolean;
}

/** The arguments of a DefaultEvictor that no policy configures. */
export const UNCONFIGURED_EVICTOR: DefaultEvictorArgs = {
  nodeFit: false,
  nodeSelector: undefined,
  labelSelector: undefined,
  namespaceLabelSelector: undefined,
  priorityThreshold: undefined,
  minReplicas: 0,
  minPodAgeMs: undefined,
  noEvictionPolicy: 'Preferred',
  protections: new Set(DEFAULT_PROTECTIONS),
  protectedStorageClasses: [],
  legacyFlags: false,
};

/** The largest priority threshold: that of system-critical pods, which is also the default (rule C4). */
export const HIGHEST_THRESHOLD = 2_000_000_000;

/** A selector in kubectl's text form; empty text selects everything. */
export const selectorText = z.string().transform((text, context): readonly Requirement[] | undefined => {
  if (text.trim() === '') return undefined;
  try {
    return parseSelector(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.addIssue({ code: 'custom', message: `not a label selector: ${reason}` });
    return z.NEVER;
  }
});

/**
 * The arguments of DefaultEvictor as a policy writes them, checked (rule E4, 2.2) and turned into
 * `DefaultEvictorArgs`. The fragment for label selectors is the strategies' own and is handed in.
 */
export function defaultEvictorArgs(labelSelector: z.ZodType<LabelSelector>): z.ZodType<DefaultEvictorArgs> {
  return z
    .strictObject({
      nodeFit: z
        .boolean()
        .default(false)
        .describe(
          'evict only pods that fit on another node; balance strategies leave a pod, too, that the scheduler would put back',
        ),
      nodeSelector: selectorText.optional().describe('nodes that count as another node for nodeFit'),
      labelSelector: labelSelector.optional().describe('only pods with these labels may be evicted'),
      namespaceLabelSelector: labelSelector
        .optional()
        .describe('only pods of namespaces with these labels are evicted'),
      priorityThreshold: priorityThreshold.optional(),
      minReplicas: z.int().min(0).default(0).describe('workloads with fewer replicas keep their pods; from 2 on'),
      minPodAge: duration.optional().describe('younger pods are kept: a duration such as 30m'),
      noEvictionPolicy: noEvictionPolicy.describe('Preferred or Mandatory: what prefer-no-eviction means'),
      podProtections: podProtections.optional(),
      ...legacyFlags,
    })
    .superRefine((raw, context) => {
      for (const issue of protectionProblems(raw)) context.addIssue({ code: 'custom', ...issue });
    })
    .transform(({ minPodAge, podProtections: chosen, nodeFit, minReplicas, ...raw }) => ({
      nodeFit,
      nodeSelector: raw.nodeSelector,
      labelSelector: raw.labelSelector,
      namespaceLabelSelector: raw.namespaceLabelSelector,
      priorityThreshold: raw.priorityThreshold,
      minReplicas,
      minPodAgeMs: minPodAge,
      noEvictionPolicy: raw.noEvictionPolicy === 'Mandatory' ? ('Mandatory' as const) : ('Preferred' as const),
      protections: effectiveProtections(chosen, raw),
      protectedStorageClasses: chosen?.config?.PodsWithPVC?.protectedStorageClasses.map(({ name }) => name) ?? [],
      legacyFlags: Object.keys(legacyFlags).some((flag) => flag in raw),
    }));
}

const priorityThreshold = z
  .strictObject({
    value: z
      .int32()
      .refine(
        (value) => value <= HIGHEST_THRESHOLD,
        `the highest threshold is ${HIGHEST_THRESHOLD}, that of critical pods`,
      )
      .optional()
      .describe('pods of this priority and above are kept'),
    name: z.string().optional().describe('name of the PriorityClass whose value is the threshold'),
  })
  .refine(({ value, name = '' }) => value === undefined || name === '', 'value and name cannot both be set')
  .transform(({ value, name = '' }) => {
    if (value !== undefined) return { value };
    return name === '' ? undefined : { name };
  })
  .describe('pods of this priority and above are kept; without it those of 2000000000 and above');

const noEvictionPolicy = z
  .string()
  .refine((text) => ['', 'Preferred', 'Mandatory'].includes(text), 'expected Preferred or Mandatory')
  .default('')
  .meta({ enum: ['', 'Preferred', 'Mandatory'] });

const duration = z.string().transform((text, context): number => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 0) return ms;
  context.addIssue({ code: 'custom', message: `expected a duration such as 30m or 1h30m, got "${text}"` });
  return z.NEVER;
});

const legacyFlags = {
  evictLocalStoragePods: z.boolean().optional().describe('older form of defaultDisabled: [PodsWithLocalStorage]'),
  evictDaemonSetPods: z.boolean().optional().describe('older form of defaultDisabled: [DaemonSetPods]'),
  evictSystemCriticalPods: z.boolean().optional().describe('older form of defaultDisabled: [SystemCriticalPods]'),
  evictFailedBarePods: z.boolean().optional().describe('older form of defaultDisabled: [FailedBarePods]'),
  ignorePvcPods: z.boolean().optional().describe('older form of extraEnabled: [PodsWithPVC]'),
  ignorePodsWithoutPDB: z.boolean().optional().describe('older form of extraEnabled: [PodsWithoutPDB]'),
};
