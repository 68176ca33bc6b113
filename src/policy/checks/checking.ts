import type { Path } from '../../findings/finding.ts';
import { nearest } from '../../findings/nearest.ts';
import { didYouMean } from './issues.ts';
import type { Plugin } from '../plugins.ts';
import type { Report } from '../report.ts';
import type { DropUnknown } from './unknown-keys.ts';

/** What the checks of a policy share. */
export interface Checking {
  readonly plugins: ReadonlyMap<string, Plugin>;
  readonly report: Report;
  readonly dropUnknown: DropUnknown;
}

/** Checked arguments; undefined if they are wrong, which has been reported. */
export type Checked<T> = { readonly data: T } | undefined;

/** The plugin of that name; an unknown one is reported with the nearest known name. */
export function pluginNamed(name: string, path: Path, { plugins, report }: Checking): Plugin | undefined {
  const plugin = plugins.get(name);
  if (plugin !== undefined) return plugin;
  const known = [...plugins.keys()];
  const hint = didYouMean(nearest(name, known)) ?? `the plugins are ${known.join(', ')}`;
  report.error(path, { code: 'unknown-plugin', message: `no plugin is called "${name}"`, hint });
  return undefined;
}
