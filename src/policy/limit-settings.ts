import { z } from 'zod';
import type { Per } from '../evictor/limits/limits.ts';
import type { Pausing } from '../evictor/limits/pauses.ts';
import type { Share } from '../evictor/limits/share.ts';
import { parseDuration } from '../lib/duration.ts';

const SHARE = 'expected a whole number ≥ 0 or a percentage from "0%" to "100%"';

/** A number of pods, or a percentage of those that are there: `3`, `"25%"`. */
const share = z
  .unknown()
  .transform((raw, context): Share => {
    const read = shareOf(raw);
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
function shareOf(raw: unknown): Share | string {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) && raw >= 0 ? { pods: raw } : `${SHARE}, got ${raw}`;
  if (typeof raw !== 'string') return raw === undefined ? `"max" is required: ${SHARE}` : SHARE;
  const [, digits] = /^(100|[1-9]?\d)%$/u.exec(raw) ?? [];
  if (digits !== undefined) return { percent: Number(digits) };
  const plain = /^\d+$/u.test(raw) ? `; write it without quotes: ${raw}` : '';
  return `${SHARE}, got "${raw}"${plain}`;
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
    max: share.describe('evictions allowed: a number, or a percentage of the pods that are there'),
    window: span.describe('in any span of this length: a duration such as 1h'),
  })
  .transform(({ per, max, window }) => ({ per, max, windowMs: window }));

/** Pauses that double from `base` up to `max`. */
function pausing(meaning: string) {
  return z
    .strictObject({
      base: span.describe('the first pause: a duration such as 10m'),
      max: span.describe('pauses double each time, up to this one'),
    })
    .refine(({ base, max }) => base <= max, {
      path: ['base'],
      error: 'base is longer than max, up to which pauses grow',
    })
    .transform(({ base, max }): Pausing => ({ baseMs: base, maxMs: max }))
    .describe(meaning);
}

function objectName(what: string, longest: number) {
  return z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/u, `not a valid name of a ${what}`)
    .max(longest);
}

/** The limits that the reference lacks, as the top level of a policy writes them (docs/limits.md). */
export const limitSettings = {
  maxNoOfPodsToEvictPerOwner: share
    .optional()
    .describe('evictions of one owner in one cycle: a number, or a percentage of its pods'),
  evictionWindows: z
    .array(evictionWindow)
    .readonly()
    .optional()
    .describe('evictions in any span of time, over all cycles and runs'),
  evictionCooldown: pausing('how long an owner is left alone after an eviction, longer each time').optional(),
  blockedPodBackoff: pausing('how long a pod is left alone after its budget held it back').optional(),
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
