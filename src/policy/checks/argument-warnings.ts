import type { Path } from '../../findings/finding.ts';
import { nearest } from '../../findings/nearest.ts';
import { METRIC_RESOURCE } from '../../strategies/node-utilization/args.ts';
import { warnOfIdleSettings } from './idle-settings.ts';
import { didYouMean } from './issues.ts';
import type { Report } from '../report.ts';
import { fieldOf, isMap, listOf } from './schema-walk.ts';

/** Arguments as written, without unknown keys, and whose they are. */
interface GivenArgs {
  readonly plugin: string;
  readonly args: unknown;
  readonly path: Path;
}

/** Reports arguments that are legal and hardly meant. */
export function argumentWarnings({ plugin, args, path }: GivenArgs, report: Report): void {
  if (plugin === 'DefaultEvictor' && fieldOf(args, 'minReplicas') === 1) {
    const message = 'minReplicas 1 protects nothing: the check is on from 2 on';
    report.warning([...path, 'minReplicas'], { code: 'no-effect', message });
  }
  warnOfIdleSettings(args, path, report);
  if (plugin === 'RemovePodsViolatingNodeAffinity') unknownAffinityTypes({ plugin, args, path }, report);
  if (plugin.endsWith('NodeUtilization')) unknownResources({ plugin, args, path }, report);
  if (fieldOf(fieldOf(args, 'metricsUtilization'), 'metricsServer') === true) {
    const remark = {
      message: 'metricsServer is deprecated',
      hint: 'write source: KubernetesMetrics',
      at: 'key',
    } as const;
    report.warning([...path, 'metricsUtilization', 'metricsServer'], { code: 'deprecated', ...remark });
  }
}

const affinityTypes = [
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution',
];

/** The reference runs with types it does not know and does nothing for them (rule T23). */
function unknownAffinityTypes({ args, path }: GivenArgs, report: Report): void {
  for (const [index, type] of listOf(args, 'nodeAffinityType').entries()) {
    if (typeof type !== 'string' || affinityTypes.includes(type)) continue;
    const message = `nothing is done for the type "${type}"`;
    const hint = didYouMean(nearest(type, affinityTypes)) ?? `the types are ${affinityTypes.join(', ')}`;
    report.warning([...path, 'nodeAffinityType', index], { code: 'no-effect', message, hint });
  }
}

/** Resources of Kubernetes itself; all others have a domain, as `nvidia.com/gpu`. */
const nativeResources = ['cpu', 'memory', 'pods', 'ephemeral-storage', METRIC_RESOURCE];

function unknownResources({ args, path }: GivenArgs, report: Report): void {
  for (const key of ['thresholds', 'targetThresholds']) {
    const map = fieldOf(args, key);
    for (const name of isMap(map) ? Object.keys(map) : []) {
      if (nativeResources.includes(name) || name.includes('/') || name.startsWith('hugepages-')) continue;
      const hint = didYouMean(nearest(name, nativeResources));
      const message = `no node offers a resource called "${name}"`;
      report.warning([...path, key, name], { code: 'no-effect', message, hint, at: 'key' });
    }
  }
}
