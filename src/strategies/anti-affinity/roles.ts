import type { Pod } from '../../cluster/objects/pod.ts';

/** A conflict as far as it is not ended yet: every carrier violates with every other forbidden pod. */
export interface LiveConflict {
  readonly what: string;
  readonly carriers: Set<Pod>;
  readonly forbidden: Set<Pod>;
  /** How many of them stay whatever happens. */
  stuckCarriers: number;
  stuckForbidden: number;
}

/** What a pod is in a conflict: a carrier of the rule, one that it forbids, or both. */
export interface Part {
  readonly conflict: LiveConflict;
  readonly carries: boolean;
  readonly forbidden: boolean;
}

/** Pods with the same parts in the same conflicts: they are in equally many violations, which are counted once. */
export interface Role {
  readonly parts: readonly Part[];
  readonly pods: readonly Pod[];
  /** Pods before it are gone or stuck. */
  cursor: number;
}

/** Puts pods with the same parts together; pods keep their order, roles that of their first pods. */
export function rolesOf(pods: readonly Pod[], conflicts: readonly LiveConflict[]): readonly Role[] {
  const partsOf = new Map<Pod, { key: string; parts: Part[] }>(pods.map((pod) => [pod, { key: '', parts: [] }]));
  conflicts.forEach((conflict, number) => {
    for (const pod of new Set([...conflict.carriers, ...conflict.forbidden])) {
      const part = { conflict, carries: conflict.carriers.has(pod), forbidden: conflict.forbidden.has(pod) };
      const known = partsOf.get(pod);
      if (!known) continue;
      known.parts.push(part);
      known.key += `${number}${part.carries ? 'c' : ''}${part.forbidden ? 'f' : ''} `;
    }
  });
  const roles = new Map<string, { parts: Part[]; pods: Pod[]; cursor: number }>();
  for (const [pod, { key, parts }] of partsOf) {
    const role = roles.get(key);
    if (role) role.pods.push(pod);
    else roles.set(key, { parts, pods: [pod], cursor: 0 });
  }
  return [...roles.values()];
}

/** The violations that each free pod of the role is in, and those of them with a pod that stays. */
export function violationsIn({ parts }: Role): { readonly all: number; readonly withStuck: number } {
  let all = 0;
  let withStuck = 0;
  for (const { conflict, carries, forbidden } of parts) {
    const itself = carries && forbidden ? 1 : 0;
    all += (carries ? conflict.forbidden.size - itself : 0) + (forbidden ? conflict.carriers.size - itself : 0);
    withStuck += (carries ? conflict.stuckForbidden : 0) + (forbidden ? conflict.stuckCarriers : 0);
  }
  return { all, withStuck };
}

/** Whether any violation of the conflict is left. */
export function isBroken({ carriers, forbidden }: LiveConflict): boolean {
  if (carriers.size === 0 || forbidden.size === 0) return false;
  return carriers.size > 1 || forbidden.size > 1 || [...carriers][0] !== [...forbidden][0];
}
