import type { z } from 'zod';
import type { DefaultEvictorArgs } from '../evictor/constraints/args.ts';
import { UNCONFIGURED_EVICTOR } from '../evictor/constraints/args.ts';
import type { Path } from '../findings/finding.ts';
import { argumentWarnings } from './checks/argument-warnings.ts';
import type { Checked, Checking } from './checks/checking.ts';
import { pluginNamed } from './checks/checking.ts';
import type { Configs } from './enabled.ts';
import { checkEnabled } from './enabled.ts';
import { parseInto } from './checks/issues.ts';
import type { Plugin } from './plugins.ts';
import { DEFAULT_EVICTOR, evictorArgs } from './plugins.ts';
import type { Profile } from './policy.ts';
import { fieldOf, isMap, listOf } from './checks/schema-walk.ts';
import type { ExtensionPoint } from './v1alpha2.ts';
import { EXTENSION_POINTS } from './v1alpha2.ts';

/** Checks a profile and builds it; what is wrong goes to the report, and what is built is then of no use. */
export function checkProfile(raw: unknown, path: Path, checking: Checking): Profile {
  const { evictor, configs } = checkConfigs(listOf(raw, 'pluginConfig'), [...path, 'pluginConfig'], checking);
  const plugins = fieldOf(raw, 'plugins');
  const enabledAt = (point: ExtensionPoint) => {
    return checkEnabled({ point, set: fieldOf(plugins, point), path: [...path, 'plugins', point] }, configs, checking);
  };
  for (const point of EXTENSION_POINTS) if (point !== 'deschedule' && point !== 'balance') enabledAt(point);
  const name = fieldOf(raw, 'name');
  return {
    name: typeof name === 'string' ? name : '',
    evictor,
    deschedule: enabledAt('deschedule'),
    balance: enabledAt('balance'),
  };
}

/** The first entry of a name counts; later ones are checked all the same (rule C1). */
function checkConfigs(entries: readonly unknown[], path: Path, checking: Checking) {
  const configs = new Map<string, Checked<unknown>>();
  let evictor: { readonly checked: Checked<DefaultEvictorArgs> } | undefined;
  for (const [index, entry] of entries.entries()) {
    const name = fieldOf(entry, 'name');
    const here = [...path, index];
    const plugin = typeof name === 'string' ? pluginNamed(name, [...here, 'name'], checking) : undefined;
    if (plugin === undefined) continue;
    const isEvictor = plugin.name === DEFAULT_EVICTOR;
    if (isEvictor ? evictor !== undefined : configs.has(plugin.name)) {
      const message = `a second entry for ${plugin.name}; the first one counts`;
      checking.report.warning([...here, 'name'], { code: 'duplicate-plugin', message });
    }
    const given: GivenArgs = { plugin, args: fieldOf(entry, 'args'), path: [...here, 'args'] };
    if (isEvictor) {
      const checked = checkArgs(given, evictorArgs, checking);
      evictor ??= { checked };
    } else {
      const checked = checkArgs(given, plugin.args, checking);
      if (!configs.has(plugin.name)) configs.set(plugin.name, checked);
    }
  }
  return { evictor: evictor?.checked?.data ?? UNCONFIGURED_EVICTOR, configs: configs satisfies Configs };
}

interface GivenArgs {
  readonly plugin: Plugin;
  readonly args: unknown;
  readonly path: Path;
}

/** Arguments of an entry, also of a plugin that is not enabled (rule C3, V2). */
function checkArgs<T>({ plugin, args, path }: GivenArgs, schema: z.ZodType<T>, checking: Checking): Checked<T> {
  const known = checking.dropUnknown({ schema, path }, withoutTypeMeta(args ?? {}));
  argumentWarnings({ plugin: plugin.name, args: known, path }, checking.report);
  return parseInto({ schema, path }, known, checking.report);
}

/** `apiVersion` and `kind` may stand in arguments and mean nothing there (rule C2). */
function withoutTypeMeta(args: unknown): unknown {
  if (!isMap(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([key]) => key !== 'apiVersion' && key !== 'kind'));
}
