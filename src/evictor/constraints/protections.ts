import { z } from 'zod';

/** Protections that are on unless `defaultDisabled` names them (rule E4). */
export const DEFAULT_PROTECTIONS = [
  'PodsWithLocalStorage',
  'SystemCriticalPods',
  'FailedBarePods',
  'DaemonSetPods',
] as const;

/** Protections that are off unless `extraEnabled` names them. */
export const EXTRA_PROTECTIONS = ['PodsWithPVC', 'PodsWithoutPDB', 'PodsWithResourceClaims'] as const;

/** The protections that can be on (rule E4), by their policy names. */
export type Protection = (typeof DEFAULT_PROTECTIONS)[number] | (typeof EXTRA_PROTECTIONS)[number];

/** The flags that preceded podProtections, and the list and name there that each stands for (rule E4). */
const LEGACY_FLAGS = [
  { flag: 'evictLocalStoragePods', list: 'defaultDisabled', protection: 'PodsWithLocalStorage' },
  { flag: 'evictSystemCriticalPods', list: 'defaultDisabled', protection: 'SystemCriticalPods' },
  { flag: 'evictFailedBarePods', list: 'defaultDisabled', protection: 'FailedBarePods' },
  { flag: 'evictDaemonSetPods', list: 'defaultDisabled', protection: 'DaemonSetPods' },
  { flag: 'ignorePvcPods', list: 'extraEnabled', protection: 'PodsWithPVC' },
  { flag: 'ignorePodsWithoutPDB', list: 'extraEnabled', protection: 'PodsWithoutPDB' },
] as const;

/** The flags that preceded podProtections, as a policy sets them. */
export type LegacyFlags = { readonly [flag in (typeof LEGACY_FLAGS)[number]['flag']]?: boolean | undefined };

/** The argument `podProtections` of DefaultEvictor. */
export const podProtections = z
  .strictObject({
    defaultDisabled: namesOf(DEFAULT_PROTECTIONS, 'defaultDisabled')
      .default([])
      .describe('protections to switch off, of those that are on by default'),
    extraEnabled: namesOf(EXTRA_PROTECTIONS, 'extraEnabled').default([]).describe('further protections to switch on'),
    config: z
      .strictObject({
        PodsWithPVC: z
          .strictObject({
            protectedStorageClasses: z
              .array(z.strictObject({ name: z.string().default('').describe('name of a StorageClass') }))
              .default([])
              .describe('PodsWithPVC protects only claims of these classes'),
          })
          .optional(),
      })
      .optional()
      .describe('settings of single protections'),
  })
  .describe('which pods are protected from eviction');

type PodProtections = z.infer<typeof podProtections>;

function namesOf(valid: readonly Protection[], list: string) {
  const [other, otherList] =
    list === 'extraEnabled' ? [DEFAULT_PROTECTIONS, 'defaultDisabled'] : [EXTRA_PROTECTIONS, 'extraEnabled'];
  const possible = `possible in ${list}: ${valid.join(', ')}`;
  const name = z
    .string()
    .refine((text) => isOneOf(valid, text), {
      error: ({ input }) =>
        isOneOf(other, String(input))
          ? `${String(input)} belongs in ${otherList}; ${possible}`
          : `no protection is called "${String(input)}"; ${possible}`,
    })
    .meta({ enum: [...valid] });
  return z.array(name).superRefine((names, context) => {
    const twice = [...new Set(names.filter((text, index) => names.indexOf(text) < index))];
    if (twice.length > 0) context.addIssue({ code: 'custom', message: `${list} names ${twice.join(', ')} twice` });
  });
}

function isOneOf(names: readonly string[], text: string): text is Protection {
  return names.includes(text);
}

/**
 * The protections in force: as `podProtections` says if one of its lists has an entry, otherwise as the legacy flags
 * say (rule E4).
 */
export function effectiveProtections(chosen: PodProtections | undefined, flags: LegacyFlags): ReadonlySet<Protection> {
  const { defaultDisabled: off, extraEnabled: on } = hasEntries(chosen) ? chosen : fromFlags(flags);
  return new Set<Protection>([
    ...DEFAULT_PROTECTIONS.filter((name) => !off.includes(name)),
    ...EXTRA_PROTECTIONS.filter((name) => on.includes(name)),
  ]);
}

function hasEntries(chosen: PodProtections | undefined): chosen is PodProtections {
  return chosen !== undefined && chosen.defaultDisabled.length + chosen.extraEnabled.length > 0;
}

function fromFlags(flags: LegacyFlags): Pick<PodProtections, 'defaultDisabled' | 'extraEnabled'> {
  const namesIn = (list: string) => setIn(flags).filter((one) => one.list === list);
  return {
    defaultDisabled: namesIn('defaultDisabled').map(({ protection }) => protection),
    extraEnabled: namesIn('extraEnabled').map(({ protection }) => protection),
  };
}

function setIn(flags: LegacyFlags): readonly (typeof LEGACY_FLAGS)[number][] {
  return LEGACY_FLAGS.filter(({ flag }) => flags[flag] === true);
}

/** What legacy flags, lists and their settings contradict each other in (rule E4), with its place. */
export function protectionProblems(
  raw: LegacyFlags & { readonly podProtections?: PodProtections | undefined },
): readonly { readonly path: (string | number)[]; readonly message: string }[] {
  const { podProtections: chosen } = raw;
  if (!hasEntries(chosen)) return [];
  const mixed = setIn(raw).map(({ flag, list, protection }) => ({
    path: [flag],
    message: `${flag} and podProtections cannot be mixed; put ${protection} into podProtections.${list} instead`,
  }));
  return [...mixed, ...namelessClasses(chosen)];
}

function namelessClasses(chosen: PodProtections): { path: (string | number)[]; message: string }[] {
  if (!chosen.extraEnabled.includes('PodsWithPVC')) return [];
  const classes = chosen.config?.PodsWithPVC?.protectedStorageClasses ?? [];
  const path = ['podProtections', 'config', 'PodsWithPVC', 'protectedStorageClasses'];
  return classes.flatMap(({ name }, index) =>
    name === '' ? [{ path: [...path, index], message: `storage class ${index} has no name` }] : [],
  );
}
