import { z } from 'zod';
import type { Per } from '../evictor/limits/limits.ts';
import type { Backoff } from '../evictor/limits/backoff.ts';
import type { IntOrPercent } from '../evictor/limits/int-or-percent.ts';
import { parseDuration } from '../lib/duration.ts';

const INT_OR_PERCENT = 'expected a whole number ≥ 0 or a percentage from "0%" to "100%"';

/** A number of pods, or a percentage of those that are there: `3`, `"25%"`. */
const intOrPercent = z
  .unknown()
  .transform((raw, context): IntOrPercent => {
    const read = intOrPercentOf(raw);
    if (typeof read !== 'string') return read;
    context.addIssue({ code: 'custom', message: read });
    return z.NEVER;
  })
  .meta({
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^(100|[1-9]?[0-9])%$' },
    ],
  });

/** The share, or what is wrong with it. */
function intOrPercentOf(raw: unknown): IntOrPercent | string {
  if (typeof raw === 'number')
    return Number.isSafeInteger(raw) && raw >= 0 ? { pods: raw } : `${INT_OR_PERCENT}, got ${raw}`;
  if (typeof raw !== 'string') return raw === undefined ? `"max" is required: ${INT_OR_PERCENT}` : INT_OR_PERCENT;
  const [, digits] = /^(100|[1-9]?\d)%$/u.exec(raw) ?? [];
  if (digits !== undefined) return { percent: Number(digits) };
  const plain = /^\d+$/u.test(raw) ? `; write it without quotes: ${raw}` : '';
  return `${INT_OR_PERCENT}, got "${raw}"${plain}`;
}

/** A duration above zero in Go's syntax, as milliseconds. */
const span = z.string().transform((text, context): number => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  context.addIssue({ code: 'custom', message: `expected a duration above 0 such as 30m or 6h, got "${text}"` });
  return z.NEVER;
});

const PER = ['total', 'namespace', 'node', 'owner'] as const satisfies readonly Per[];

const evictionWindow = z
  .strictObject({
    per: z.enum(PER).describe('what is counted apart'),
    max: intOrPercent.describe('evictions allowed: a number, or a percentage of the pods that are there'),
    window: span.describe('in any span of this length: a duration such as 1h'),
  })
  .transform(({ per, max, window }) => ({ per, max, windowMs: window }));

/** Pauses that double from `base` up to `max`. */
function backoff(meaning: string) {
  return z
    .strictObject({
      base: span.describe('the first pause: a duration such as 10m'),
      max: span.describe('pauses double each time, up to this one'),
    })
    .refine(({ base, max }) => base <= max, {
      path: ['base'],
      error: 'base is longer than max, up to which pauses grow',
    })
    .transform(({ base, max }): Backoff => ({ baseMs: base, maxMs: max }))
    .describe(meaning);
}

function objectName(what: string, longest: number) {
  return z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/u, `not a valid name of a ${what}`)
    .max(longest);
}

/** The limits that the Go descheduler lacks, as the top level of a policy writes them (docs/limits.md). */
export const limitSettings = {
  maxNoOfPodsToEvictPerOwner: intOrPercent
    .optional()
    .describe('evictions of one owner in one cycle: a number, or a percentage of its pods'),
  evictionWindows: z
    .array(evictionWindow)
    .readonly()
    .optional()
    .describe('evictions in any span of time, over all cycles and runs'),
  evictionCooldown: backoff('how long an owner is left alone after an eviction, longer each time').optional(),
  blockedPodBackoff: backoff('how long a pod is left alone after its PodDisruptionBudget held it back').optional(),
  pauseWhen: z
    .strictObject({
      notReadyNodes: intOrPercent
        .optional()
        .describe('nodes that are not ready: a number, or a percentage of all nodes'),
      pendingPods: intOrPercent.optional().describe('pods that wait for a node: a number, or a percentage of all pods'),
    })
    .optional()
    .describe('cycles are skipped while one of these is reached: the cluster has other troubles then'),
  history: z
    .strictObject({
      configMap: z
        .strictObject({
          namespace: objectName('namespace', 63).describe('namespace of the ConfigMap'),
          name: objectName('ConfigMap', 253).describe('name of the ConfigMap; it is made if it is missing'),
        })
        .describe('ConfigMap in which evictions are remembered'),
    })
    .optional()
    .describe('where evictions are remembered between runs'),
};
