import type { Path } from '../findings/finding.ts';
import type { Checked, Checking } from './checks/checking.ts';
import { pluginNamed } from './checks/checking.ts';
import { remarkOn } from './checks/issues.ts';
import type { Plugin } from './plugins.ts';
import type { EnabledStrategy } from './policy.ts';
import type { Report } from './report.ts';
import { listOf } from './checks/schema-walk.ts';
import type { ExtensionPoint } from './v1alpha2.ts';

/** The checked arguments of a profile's strategies, by plugin name. */
export type Configs = ReadonlyMap<string, Checked<unknown>>;

/** What a profile says about one extension point. */
interface PointSet {
  readonly point: ExtensionPoint;
  readonly set: unknown;
  readonly path: Path;
}

/** The strategies that a profile enables at one point, in its order (rules C4 and C6). */
export function checkEnabled(given: PointSet, configs: Configs, checking: Checking): readonly EnabledStrategy[] {
  warnOfNoEffect(given, checking);
  if (isIdle(given.point)) return [];
  return listOf(given.set, 'enabled').flatMap((name, index) => {
    const path = [...given.path, 'enabled', index];
    const plugin = typeof name === 'string' ? pluginNamed(name, path, checking) : undefined;
    if (plugin === undefined || !runsAt(plugin, { ...given, path }, checking)) return [];
    if (given.point !== 'deschedule' && given.point !== 'balance') return [];
    return enable(plugin, { path, configs }, checking);
  });
}

function warnOfNoEffect({ point, set, path }: PointSet, { report }: Checking): void {
  if (listOf(set, 'disabled').length > 0) {
    const hint = 'a plugin is off unless it is listed under enabled';
    report.warning([...path, 'disabled'], { code: 'no-effect', message: 'disabled does nothing', hint, at: 'key' });
  }
  if (isIdle(point) && listOf(set, 'enabled').length > 0) {
    report.warning(path, { code: 'no-effect', message: `the extension point ${point} does nothing`, at: 'key' });
  }
}

function isIdle(point: ExtensionPoint): boolean {
  return point === 'sort' || point === 'presort';
}

function runsAt({ name, points }: Plugin, { point, path }: PointSet, { report }: Checking): boolean {
  if (points.includes(point)) return true;
  const [right = ''] = points;
  const message = `${name} cannot run under ${point}: it is a ${right} plugin`;
  report.error(path, { code: 'wrong-extension-point', message, hint: `move it to plugins.${right}.enabled` });
  return false;
}

/** An enabled plugin without an entry gets its default arguments, if those are valid (rule C4). */
function enable(
  plugin: Plugin,
  { path, configs }: { readonly path: Path; readonly configs: Configs },
  { report }: Checking,
): readonly EnabledStrategy[] {
  const args = configs.has(plugin.name) ? configs.get(plugin.name) : defaultArgs(plugin, path, report);
  return plugin.strategy === undefined || args === undefined ? [] : [{ strategy: plugin.strategy, args: args.data }];
}

function defaultArgs({ name, args }: Plugin, path: Path, report: Report): Checked<unknown> {
  const result = args.safeParse({}, { reportInput: true });
  if (result.success) return { data: result.data };
  const reasons = result.error.issues.map((issue) => remarkOn(issue, args).message).join('; ');
  const hint = `add an entry with the name ${name} and its args to pluginConfig`;
  report.error(path, { code: 'missing', message: `${name} is enabled without arguments: ${reasons}`, hint });
  return undefined;
}
