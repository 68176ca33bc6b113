import { quietMs, type Backoff } from './backoff.ts';
import type { IntOrPercent } from './int-or-percent.ts';

/** What a limit counts apart: everything, each namespace, each node, each owner. */
export type Per = 'total' | 'namespace' | 'node' | 'owner';

/** At most so many evictions in any span of that length, counted apart by `per` (docs/limits.md). */
export interface EvictionWindow {
  readonly per: Per;
  readonly max: IntOrPercent;
  readonly windowMs: number;
}

/**
 * What a policy allows. The first three hold for one cycle, as in the Go descheduler (rule E11); undefined is
 * unlimited, 0 is none. The others are ours, off unless set; the last three look beyond the cycle.
 */
export interface EvictionLimits {
  readonly total: number | undefined;
  readonly node: number | undefined;
  readonly namespace: number | undefined;
  /** In one cycle, of one owner. */
  readonly owner?: IntOrPercent;
  readonly windows?: readonly EvictionWindow[];
  /** How long an owner is left alone after an eviction. */
  readonly cooldown?: Backoff;
  /** How long a pod is left alone after its budget has held it back. */
  readonly blockedPods?: Backoff;
}

/** A limit that leaves no room for one more eviction. */
export interface LimitHit {
  readonly scope: 'pod' | 'node' | 'namespace' | 'total';
  readonly by: string;
  /** Tells apart what can hit the same limit, for one notice each. Undefined: it concerns this pod alone. */
  readonly key?: string;
  /** Completes the sentence "pod X …". */
  readonly reason: string;
}

/** Policy keys of the limits that look beyond one cycle. */
export const MEMORY_KEYS = {
  windows: 'evictionWindows',
  cooldown: 'evictionCooldown',
  blockedPods: 'blockedPodBackoff',
} as const;

/** The policy keys by which these limits look beyond one cycle; none where no history is needed. */
export function memoryKeys(limits: EvictionLimits): readonly string[] {
  return [
    ...((limits.windows ?? []).length > 0 ? [MEMORY_KEYS.windows] : []),
    ...(limits.cooldown ? [MEMORY_KEYS.cooldown] : []),
    ...(limits.blockedPods ? [MEMORY_KEYS.blockedPods] : []),
  ];
}

/** How long things matter to limits. */
export interface Retention {
  /** The longest window; 0 without any. */
  readonly windowMs: number;
  readonly cooldown: Backoff | undefined;
  /** How long a block is remembered; 0 if blocks do not matter. */
  readonly blockMs: number;
}

/** What a history must keep so that these limits hold. */
export function retentionOf({ windows = [], cooldown, blockedPods }: EvictionLimits): Retention {
  return {
    windowMs: windows.reduce((longest, { windowMs }) => Math.max(longest, windowMs), 0),
    cooldown,
    blockMs: blockedPods ? quietMs(blockedPods) : 0,
  };
}
