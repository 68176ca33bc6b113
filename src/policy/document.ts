import type { Path } from '../findings/finding.ts';
import type { Checking } from './checks/checking.ts';
import { parseInto } from './checks/issues.ts';
import { historyOf, limitsOf, warnOfLimits } from './limits.ts';
import { warnOfOpposites } from './checks/opposites.ts';
import type { MetricsProvider, Policy, Profile } from './policy.ts';
import { checkProfile } from './profile.ts';
import type { Report } from './report.ts';
import { fieldOf, listOf } from './checks/schema-walk.ts';
import type { PolicyDocument } from './v1alpha2.ts';
import { policyDocument } from './v1alpha2.ts';

/**
 * Checks a v1alpha2 document whose version and kind are known to be right, and builds the policy. What is wrong goes to
 * the report; undefined if the settings of the top level could not be read.
 */
export function checkDocument(raw: unknown, checking: Checking): Policy | undefined {
  const spot = { schema: policyDocument, path: [] };
  const known = checking.dropUnknown(spot, raw);
  const parsed = parseInto(spot, known, checking.report);
  const path: Path = ['profiles'];
  const profiles = listOf(known, 'profiles').map((profile, index) => checkProfile(profile, [...path, index], checking));
  warnOfProfiles(profiles, checking.report);
  warnOfOpposites(known, profiles, checking.report);
  if (enablesNothing(known)) {
    const hint = 'list strategies under plugins.deschedule.enabled or plugins.balance.enabled of a profile';
    checking.report.warning(path, { code: 'nothing-enabled', message: 'no strategy is enabled', hint, at: 'key' });
  }
  if (parsed === undefined) return undefined;
  warnOfMetrics(known, parsed.data, checking.report);
  warnOfLimits(parsed.data, checking.report);
  return policyOf(parsed.data, profiles);
}

function enablesNothing(known: unknown): boolean {
  return listOf(known, 'profiles').every((profile) => {
    const plugins = fieldOf(profile, 'plugins');
    return ['deschedule', 'balance'].every((point) => listOf(fieldOf(plugins, point), 'enabled').length === 0);
  });
}

function policyOf(document: PolicyDocument, profiles: readonly Profile[]): Policy {
  return {
    nodeSelector: document.nodeSelector,
    limits: limitsOf(document),
    ...historyOf(document),
    ...(document.scheduler && { scheduler: document.scheduler }),
    ...(document.pauseWhen && { pauseWhen: document.pauseWhen }),
    evictionFailureEventNotification: document.evictionFailureEventNotification,
    gracePeriodSeconds: document.gracePeriodSeconds,
    metricsProviders: providersOf(document),
    profiles,
  };
}

/** The deprecated metricsCollector is a provider of its own (rule C1). */
function providersOf({ metricsCollector, metricsProviders }: PolicyDocument): readonly MetricsProvider[] {
  if (!metricsCollector?.enabled) return metricsProviders;
  return [...metricsProviders, { source: 'KubernetesMetrics', url: undefined, authSecret: undefined }];
}

function warnOfProfiles(profiles: readonly Profile[], report: Report): void {
  for (const [index, { name }] of profiles.entries()) {
    const first = profiles.findIndex((other) => other.name === name);
    if (first === index) continue;
    const message = name === '' ? 'a second profile without a name' : `a second profile is called "${name}"`;
    const hint = 'reports and metrics cannot tell them apart; give each a name of its own';
    report.warning(['profiles', index, 'name'], { code: 'duplicate-profile', message, hint });
  }
}

/** A cycle in which a strategy finds no usage fails for that strategy (rule C3). */
function warnOfMetrics(known: unknown, document: PolicyDocument, report: Report): void {
  if (document.metricsCollector !== undefined) {
    const hint = document.metricsCollector.enabled ? 'write a provider: {source: KubernetesMetrics}' : 'leave it out';
    report.warning(['metricsCollector'], {
      code: 'deprecated',
      message: 'metricsCollector is deprecated',
      hint,
      at: 'key',
    });
  }
  const provided = providersOf(document).map(({ source }): string => source);
  for (const [index, profile] of listOf(known, 'profiles').entries()) {
    for (const [entry, config] of listOf(profile, 'pluginConfig').entries()) {
      const source = fieldOf(fieldOf(fieldOf(config, 'args'), 'metricsUtilization'), 'source');
      if (typeof source !== 'string' || provided.includes(source)) continue;
      const path = ['profiles', index, 'pluginConfig', entry, 'args', 'metricsUtilization', 'source'];
      const message = `no provider has the source ${source}, so there will be no usage to read`;
      report.warning(path, { code: 'missing', message, hint: `add {source: ${source}} to metricsProviders` });
    }
  }
}
