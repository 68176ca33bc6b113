import type { z } from 'zod';
import { defaultEvictorArgs } from '../evictor/constraints/args.ts';
import { labelSelector } from '../strategies/arg-fragments.ts';
import { strategies } from '../strategies/registry.ts';
import type { Strategy } from '../strategies/strategy.ts';
import type { ExtensionPoint } from './v1alpha2.ts';

/** A plugin that a policy may name. */
export interface Plugin {
  readonly name: string;
  readonly points: readonly ExtensionPoint[];
  readonly args: z.ZodType;
  /** Undefined for the evictor. */
  readonly strategy: Strategy<unknown> | undefined;
}

/** The name of the evictor, which is in every profile (rule C4). */
export const DEFAULT_EVICTOR = 'DefaultEvictor';

/** Checks the arguments of DefaultEvictor. */
export const evictorArgs = defaultEvictorArgs(labelSelector);

const defaultEvictor: Plugin = {
  name: DEFAULT_EVICTOR,
  points: ['filter', 'preevictionfilter', 'preEvictionFilter'],
  args: evictorArgs,
  strategy: undefined,
};

/** All plugins that a policy may name, by name: the evictor, then the strategies in the order of the registry. */
export const plugins: ReadonlyMap<string, Plugin> = new Map(
  [defaultEvictor, ...strategies.map(pluginOf)].map((plugin) => [plugin.name, plugin]),
);

function pluginOf(strategy: Strategy<unknown>): Plugin {
  const { name, extensionPoint, args } = strategy;
  return { name, points: [extensionPoint], args, strategy };
}
