import { z } from 'zod';
import { parseDuration } from '../lib/duration.ts';
import type { Happening, Scenario, Target } from './scenario.ts';

// Keys that are not known are findings: every object is strict.

const duration = z
  .union([z.string(), z.number()])
  .refine((value) => (parseDuration(String(value)) ?? -1) >= 0, {
    error: 'expected a duration such as 40s, 5m or 1h30m, not negative',
  })
  .transform((value) => parseDuration(String(value)) ?? 0);

const name = z.string().min(1);
const labels = z.record(z.string(), z.string());
const target = { nodes: z.array(name).min(1).optional(), zone: z.string().optional(), selector: labels.optional() };
const effect = z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
const time = z.iso.datetime({ offset: true, error: 'expected a time such as 2026-01-01T12:00:00Z' });
const taint = z.strictObject({ key: name, value: z.string().default(''), effect, timeAdded: time.optional() });
const oldTaint = z.strictObject({ key: name, value: z.string().optional(), effect: effect.optional() });
const condition = z.strictObject({
  type: name,
  status: z.enum(['True', 'False', 'Unknown'], { error: 'expected one of "True", "False", "Unknown", in quotes' }),
  reason: z.string().default(''),
  message: z.string().optional(),
});

function objectOf(kind: string) {
  return z
    .looseObject({ kind: z.literal(kind).optional(), metadata: z.looseObject({ name }) })
    .transform((object) => ({ ...object, kind }));
}

/** What may stand under each key of an event besides `at`, turned into what happens. */
export const HAPPENINGS = {
  stopKubelet: onNodes({}, (target): Happening => ({ kind: 'stopKubelet', target })),
  startKubelet: onNodes({}, (target): Happening => ({ kind: 'startKubelet', target })),
  addTaint: onNodes({ taint }, (target, { taint: { timeAdded, ...rest } }): Happening => {
    return { kind: 'addTaint', target, taint: { ...rest, ...(timeAdded !== undefined && { timeAdded }) } };
  }),
  removeTaint: onNodes({ taint: oldTaint }, (target, { taint: { key, effect } }): Happening => {
    return { kind: 'removeTaint', target, taint: { key, ...(effect !== undefined && { effect }) } };
  }),
  setCondition: onNodes({ condition }, (target, { condition: { type, status, reason } }): Happening => {
    return { kind: 'setCondition', target, condition: { type, status, reason } };
  }),
  createPod: objectOf('Pod').transform((object): Happening => ({ kind: 'createPod', object })),
  updatePod: objectOf('Pod').transform((object): Happening => ({ kind: 'updatePod', object })),
  deletePod: z
    .string()
    .regex(/^[^/\s]+\/[^/\s]+$/, { error: 'expected a pod as namespace/name' })
    .transform((text): Happening => {
      const [namespace = '', pod = ''] = text.split('/');
      return { kind: 'deletePod', namespace, name: pod };
    }),
  createNode: objectOf('Node').transform((object): Happening => ({ kind: 'createNode', object })),
  deleteNode: name.transform((node): Happening => ({ kind: 'deleteNode', name: node })),
  restartController: z
    .strictObject({ downFor: duration.optional() })
    .nullable()
    .transform((restart): Happening => ({ kind: 'restartController', downForMs: restart?.downFor ?? 0 })),
};

const event = z
  .strictObject({
    at: duration,
    ...(Object.fromEntries(Object.entries(HAPPENINGS).map(([key, schema]) => [key, schema.optional()])) as Optional),
  })
  .transform(({ at, ...rest }, context): { atMs: number; happening: Happening } => {
    const given = Object.values(rest).filter((happening) => happening !== undefined);
    const [happening] = given;
    if (happening && given.length === 1) return { atMs: at, happening };
    const known = Object.keys(HAPPENINGS).join(', ');
    const message = given.length === 0 ? `nothing happens: expected one of ${known}` : 'expected one thing to happen';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

type Optional = { readonly [K in keyof typeof HAPPENINGS]: z.ZodOptional<(typeof HAPPENINGS)[K]> };

/** An OutageScenario as it stands in a file. */
export const scenarioSchema = z
  .strictObject({
    apiVersion: z.literal('evenkeel.io/v1alpha1'),
    kind: z.literal('OutageScenario'),
    duration,
    events: z.array(event).default([]),
  })
  .transform(({ duration: durationMs, events }): Scenario => ({ durationMs, events }));

function onNodes<S extends z.ZodRawShape>(
  rest: S,
  build: (target: Target, rest: z.output<z.ZodObject<S>>) => Happening,
) {
  return z.strictObject({ ...target, ...rest }).transform((value, context): Happening => {
    const { nodes, zone, selector } = value as z.output<z.ZodObject<typeof target>>;
    const targets = [
      ...(nodes ? [{ nodes }] : []),
      ...(zone === undefined ? [] : [{ zone }]),
      ...(selector ? [{ selector }] : []),
    ];
    const [first] = targets;
    if (first && targets.length === 1) return build(first, value as z.output<z.ZodObject<S>>);
    context.addIssue({ code: 'custom', message: 'expected one of nodes, zone, selector, to say which nodes' });
    return z.NEVER;
  });
}
