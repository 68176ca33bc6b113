import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from '../../lib/duration.ts';
import type { LifecycleOptions } from '../../node-lifecycle/options.ts';
import type { TaintEvictionOptions } from '../../taint-eviction/options.ts';

/** What the flags of `lifecycle` and `outage` set; what is not given stays as it is by default. */
export interface LifecycleSettings {
  readonly lifecycle: Partial<LifecycleOptions>;
  readonly eviction: Partial<TaintEvictionOptions>;
}

type Value = string | number;

/** One flag: its name, how its value is read, and what it sets. */
interface LifecycleFlag {
  readonly name: string;
  readonly shape: string;
  readonly help: string;
  readonly parse: (text: string) => Value;
  readonly set: { readonly lifecycle: keyof LifecycleOptions } | { readonly eviction: keyof TaintEvictionOptions };
}

/** Those of kube-controller-manager with its defaults, and ours. */
const FLAGS: readonly LifecycleFlag[] = [
  duration('node-monitor-period', 'between two looks at all nodes (5s)', { lifecycle: 'monitorPeriodMs' }),
  duration('node-monitor-grace-period', 'without a sign of life before a node counts as not ready (50s)', {
    lifecycle: 'monitorGraceMs',
  }),
  duration('node-startup-grace-period', 'the same for a node that never reported (60s)', {
    lifecycle: 'startupGraceMs',
  }),
  number('node-eviction-rate', 'nodes a second that may be tainted in a zone (0.1)', { lifecycle: 'evictionRate' }),
  number('secondary-node-eviction-rate', 'the same in a large zone partly down (0.01)', {
    lifecycle: 'secondaryEvictionRate',
  }),
  share('unhealthy-zone-threshold', 'share of nodes not ready that makes a zone partly down (0.55)', {
    lifecycle: 'unhealthyZoneThreshold',
  }),
  number('large-cluster-size-threshold', 'nodes above which a zone is large (50)', {
    lifecycle: 'largeClusterSizeThreshold',
  }),
  choice('partial-disruption', ['keep', 'pause', 'untaint'], { lifecycle: 'partialDisruption' }),
  choice('full-disruption', ['normal', 'secondary', 'stop'], { lifecycle: 'fullDisruption' }),
  choice('eviction', ['delete', 'evict-then-delete'], { eviction: 'eviction' }),
  duration('eviction-deadline', 'how long PodDisruptionBudgets may hold a pod, from the first eviction request (5m)', {
    eviction: 'evictionDeadlineMs',
  }),
];

/** Adds the flags to a command. */
export function addLifecycleFlags(command: Command): void {
  for (const { name, shape, help, parse } of FLAGS) {
    command.addOption(new Option(`--${name} <${shape}>`, help).argParser(parse));
  }
}

/** The settings that the options of a command make, by the property names of commander. */
export function lifecycleSettings(given: Readonly<Record<string, unknown>>): LifecycleSettings {
  return FLAGS.reduce<LifecycleSettings>(
    (settings, flag) => {
      const value = given[property(flag.name)];
      return value === undefined ? settings : withSetting(settings, flag, value as Value);
    },
    { lifecycle: {}, eviction: {} },
  );
}

/** `FLAG=VALUE` of `--compare`, with or without dashes: the same settings with this one changed. Throws InvalidArgumentError. */
export function changed(settings: LifecycleSettings, assignment: string): LifecycleSettings {
  const [name = '', value] = assignment.replace(/^--/u, '').split('=', 2);
  const flag = FLAGS.find((it) => it.name === name);
  if (!flag || value === undefined) {
    throw new InvalidArgumentError(
      `It takes FLAG=VALUE, where FLAG is one of ${FLAGS.map((it) => it.name).join(', ')}.`,
    );
  }
  return withSetting(settings, flag, flag.parse(value));
}

function withSetting(settings: LifecycleSettings, { set }: LifecycleFlag, value: Value): LifecycleSettings {
  return 'lifecycle' in set
    ? { ...settings, lifecycle: { ...settings.lifecycle, [set.lifecycle]: value } }
    : { ...settings, eviction: { ...settings.eviction, [set.eviction]: value } };
}

function duration(name: string, help: string, set: LifecycleFlag['set']): LifecycleFlag {
  const parse = (text: string) => {
    const ms = parseDuration(text);
    if (ms === undefined || ms < 0) throw new InvalidArgumentError('It takes a duration like 50s or 1m30s.');
    return ms;
  };
  return { name, shape: 'duration', help, parse, set };
}

function number(name: string, help: string, set: LifecycleFlag['set']): LifecycleFlag {
  const parse = (text: string) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < 0)
      throw new InvalidArgumentError('It takes a number from 0.');
    return value;
  };
  return { name, shape: 'number', help, parse, set };
}

function share(name: string, help: string, set: LifecycleFlag['set']): LifecycleFlag {
  const { parse } = number(name, help, set);
  const parseIntOrPercent = (text: string) => {
    const value = parse(text);
    if (Number(value) > 1) throw new InvalidArgumentError('It takes a share between 0 and 1.');
    return value;
  };
  return { name, shape: 'share', help, parse: parseIntOrPercent, set };
}

function choice(name: string, values: readonly string[], set: LifecycleFlag['set']): LifecycleFlag {
  const parse = (text: string) => {
    if (!values.includes(text)) throw new InvalidArgumentError(`It takes one of ${values.join(', ')}.`);
    return text;
  };
  return { name, shape: 'way', help: `${values.join(', ')}; the first by default`, parse, set };
}

function property(name: string): string {
  return name.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}
