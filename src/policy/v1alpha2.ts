import { z } from 'zod';
import { selectorText } from '../evictor/constraints/args.ts';
import { limitSettings } from './limit-settings.ts';
import { metricsProviders } from './metrics-providers.ts';
import { schedulerSettings } from './scheduler-settings.ts';

/** The extension points of a profile as they are spelled in a policy (rule C1, 7.2 number 2). */
export const EXTENSION_POINTS = [
  'presort',
  'sort',
  'filter',
  'preevictionfilter',
  'preEvictionFilter',
  'deschedule',
  'balance',
] as const;

/** One of them. */
export type ExtensionPoint = (typeof EXTENSION_POINTS)[number];

const limit = z.int().min(0).optional();
const pluginNames = z.array(z.string());

const pluginSet = z
  .strictObject({
    enabled: pluginNames.optional().describe('plugins to run, in this order'),
    disabled: pluginNames.optional().describe('accepted and without effect'),
  })
  .optional();

const pluginSets = z.strictObject({
  presort: pluginSet.describe('accepted and without effect'),
  sort: pluginSet.describe('accepted and without effect'),
  filter: pluginSet.describe('plugins that say whether a pod may ever be evicted; DefaultEvictor always runs'),
  preevictionfilter: pluginSet.describe(
    'plugins that say whether a pod may be evicted now; DefaultEvictor always runs',
  ),
  preEvictionFilter: pluginSet.describe('another spelling of preevictionfilter'),
  deschedule: pluginSet.describe('strategies that check pods one by one; they run before those under balance'),
  balance: pluginSet.describe('strategies that check groups of pods'),
});

const pluginConfig = z.strictObject({
  name: z.string().describe('name of the plugin'),
  args: z.unknown().optional().describe('its arguments'),
});

function profileWith(config: z.ZodType) {
  return z.strictObject({
    name: z.string().optional().describe('name in reports, logs and metrics'),
    pluginConfig: z.array(config).optional().describe('arguments of plugins; the first entry of a name counts'),
    plugins: pluginSets.optional().describe('the plugins that run, by extension point'),
  });
}

/** The fields of a policy that are plain settings; new ones go here. */
const settings = {
  nodeSelector: selectorText.optional().describe('label selector of the nodes whose pods are checked'),
  maxNoOfPodsToEvictPerNode: limit.describe('evictions from one node in one cycle; 0 is none'),
  maxNoOfPodsToEvictPerNamespace: limit.describe('evictions in one namespace in one cycle; 0 is none'),
  maxNoOfPodsToEvictTotal: limit.describe('evictions in one cycle; 0 is none'),
  ...limitSettings,
  evictionFailureEventNotification: z.boolean().default(false).describe('failed evictions are events, too'),
  gracePeriodSeconds: limit.describe("in place of the pods' own grace period"),
  metricsCollector: z
    .strictObject({ enabled: z.boolean().default(false) })
    .optional()
    .describe('deprecated: write a provider with source KubernetesMetrics'),
  metricsProviders: metricsProviders.default([]),
  scheduler: schedulerSettings.optional().describe("the scheduler's own configuration, where it is not the default"),
};

/** A policy of version `descheduler/v1alpha2` whose entries of pluginConfig are as given (rule C1). */
export function documentWith(config: z.ZodType) {
  return z
    .strictObject({
      apiVersion: z.literal('descheduler/v1alpha2'),
      kind: z.literal('DeschedulerPolicy'),
      metadata: z.unknown().optional().describe('as in any Kubernetes object; not read'),
      ...settings,
      profiles: z.array(profileWith(config)).optional().describe('strategies with their evictor, one after another'),
    })
    .refine((policy) => !policy.metricsCollector?.enabled || policy.metricsProviders.every(isNotKubernetes), {
      path: ['metricsCollector'],
      error: 'metricsCollector and a provider with source KubernetesMetrics cannot be combined; keep the provider',
    });
}

function isNotKubernetes({ source }: { readonly source: string }): boolean {
  return source !== 'KubernetesMetrics';
}

/** The same, but for the arguments of its plugins, which are checked one by one. */
export const policyDocument = documentWith(pluginConfig);

/** A well-formed policy document. */
export type PolicyDocument = z.infer<typeof policyDocument>;
