import type { Path } from '../../findings/finding.ts';
import type { Checking } from '../checks/checking.ts';
import { pluginNamed } from '../checks/checking.ts';
import type { Plugin } from '../plugins.ts';
import { DEFAULT_EVICTOR } from '../plugins.ts';
import type { Origin, Trace } from '../report.ts';
import { originOf } from '../report.ts';
import { fieldOf, isMap } from '../checks/schema-walk.ts';
import { strategyArgs } from './strategy-params.ts';
import { EVICT_FLAGS, SHARED_SETTINGS } from './v1alpha1.ts';

/** A policy of the old version in the shape of the new one, and where in the old text each part of it stands. */
export interface Converted {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
}

/**
 * Each enabled strategy becomes a profile of its own, in the order of their names (rule C5). `known` is a
 * v1alpha1 document without unknown keys; it may be misshapen, and what is wrong with it is found again in the result.
 */
export function convertV1alpha1(known: unknown, checking: Checking): Converted {
  const strategies = fieldOf(known, 'strategies');
  const entries = Object.entries(isMap(strategies) ? strategies : {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const enabled = entries.flatMap(([name, entry]) => {
    const plugin = strategyNamed(name, checking);
    return plugin !== undefined && fieldOf(entry, 'enabled') === true ? [{ plugin, entry }] : [];
  });
  const profiles = enabled.map(({ plugin, entry }, index) => profileOf({ plugin, entry, known, index }, checking));
  const settings = SHARED_SETTINGS.map((key) => [key, fieldOf(known, key)] as const);
  const raw = {
    apiVersion: 'descheduler/v1alpha2',
    kind: 'DeschedulerPolicy',
    ...Object.fromEntries(settings.filter(([, value]) => value !== undefined)),
    profiles: profiles.map(({ profile }) => profile),
  };
  const traces = profiles.flatMap((profile) => profile.traces);
  return { raw, origin: originOf([{ to: ['profiles'], from: ['strategies'] }, ...traces]) };
}

/** An unknown strategy is wrong even if it is disabled. */
function strategyNamed(name: string, checking: Checking): Plugin | undefined {
  const strategies = new Map([...checking.plugins].filter(([plugin]) => plugin !== DEFAULT_EVICTOR));
  return pluginNamed(name, ['strategies', name], { ...checking, plugins: strategies });
}

interface Enabled {
  readonly plugin: Plugin;
  readonly entry: unknown;
  readonly known: unknown;
  readonly index: number;
}

function profileOf({ plugin, entry, known, index }: Enabled, { report }: Checking) {
  const { name, points } = plugin;
  const params = fieldOf(entry, 'params');
  const there = ['strategies', name, 'params'];
  const here: Path = ['profiles', index];
  const strategy = strategyArgs({ name, params, path: there }, report);
  const evictor = evictorArgs(name, params, known);
  const configs: Path = [...here, 'pluginConfig'];
  const traces: Trace[] = [
    { to: here, from: ['strategies', name] },
    { to: [...configs, 1, 'args'], from: there },
    ...strategy.traces.map(({ to, from }) => ({ to: [...configs, 1, 'args', ...to], from: [...there, ...from] })),
    ...EVICT_FLAGS.map((flag) => ({ to: [...configs, 0, 'args', flag], from: [flag] })),
    ...evictorMoves.map(({ to, from }) => ({ to: [...configs, 0, 'args', ...to], from: [...there, ...from] })),
    ...points.map((point) => ({ to: [...here, 'plugins', point, 'enabled', 0], from: ['strategies', name] })),
  ];
  const filter = { enabled: [DEFAULT_EVICTOR] };
  const sets = points.map((point) => [point, { enabled: [name] }] as const);
  const profile = {
    name: `strategy-${name}-profile`,
    pluginConfig: [
      { name: DEFAULT_EVICTOR, args: evictor },
      { name, args: strategy.args },
    ],
    plugins: { filter, preevictionfilter: filter, ...Object.fromEntries(sets) },
  };
  return { profile, traces };
}

const evictorMoves: readonly Trace[] = [
  { to: ['nodeFit'], from: ['nodeFit'] },
  { to: ['priorityThreshold', 'value'], from: ['thresholdPriority'] },
  { to: ['priorityThreshold', 'name'], from: ['thresholdPriorityClassName'] },
];

/**
 * `evictLocalStoragePods` is always written out, so that hints keep speaking of flags, as the old text does. Of two
 * thresholds, which is a finding, only the value goes on.
 */
function evictorArgs(name: string, params: unknown, known: unknown): Readonly<Record<string, unknown>> {
  const flags = EVICT_FLAGS.map((flag) => [flag, fieldOf(known, flag)] as const);
  const value = fieldOf(params, 'thresholdPriority');
  const className = fieldOf(params, 'thresholdPriorityClassName');
  const threshold = value === undefined ? { name: className } : { value };
  const nodeFit = name === 'PodLifeTime' ? undefined : fieldOf(params, 'nodeFit');
  return {
    evictLocalStoragePods: false,
    ...Object.fromEntries(flags.filter(([, flag]) => flag !== undefined)),
    ...(nodeFit === undefined ? {} : { nodeFit }),
    ...(value === undefined && className === undefined ? {} : { priorityThreshold: threshold }),
  };
}
