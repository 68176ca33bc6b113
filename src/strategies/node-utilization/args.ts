import { z } from 'zod';
import * as fragment from '../arg-fragments.ts';

/** The pseudo resource whose percentage a Prometheus query gives (rule T10). */
export const METRIC_RESOURCE = 'MetricResource';

/** A finding on the arguments: where, and what is wrong. */
export interface ArgProblem {
  readonly path: string[];
  readonly message: string;
}

/**
 * Where LowNodeUtilization reads usage (rule T17). The deprecated `metricsServer: true` becomes the source
 * KubernetesMetrics; `metricsServer: false` alone means that requests are counted.
 */
export const metricsUtilization = z
  .strictObject({
    metricsServer: z.boolean().optional().describe('deprecated: write source: KubernetesMetrics'),
    source: z.enum(['KubernetesMetrics', 'Prometheus']).optional().describe('where usage is measured'),
    prometheus: z
      .strictObject({ query: z.string().default('').describe('PromQL; one sample of 0 to 1 per node') })
      .optional(),
  })
  .superRefine((metrics, context) => {
    for (const issue of sourceProblems(metrics)) context.addIssue({ code: 'custom', ...issue });
  })
  .transform(({ metricsServer, source, prometheus }) => ({
    source: metricsServer === true ? ('KubernetesMetrics' as const) : source,
    query: source === 'Prometheus' ? prometheus?.query : undefined,
  }))
  .describe('measured usage in place of requests');

interface SourceArgs {
  readonly metricsServer?: boolean | undefined;
  readonly source?: 'KubernetesMetrics' | 'Prometheus' | undefined;
  readonly prometheus?: { readonly query: string } | undefined;
}

function sourceProblems({ metricsServer, source, prometheus }: SourceArgs): ArgProblem[] {
  const problems: ArgProblem[] = [];
  const add = (key: string, message: string) => problems.push({ path: [key], message });
  if (source === undefined && metricsServer === undefined) {
    add('source', 'metricsUtilization names no source: write KubernetesMetrics or Prometheus, or leave it out');
  }
  if (source === 'KubernetesMetrics' && metricsServer === true) {
    add('metricsServer', 'metricsServer is the old name of source: KubernetesMetrics; only one of them may be set');
  }
  if (source !== 'Prometheus' && prometheus !== undefined) {
    add('prometheus', 'a prometheus block needs source: Prometheus');
  }
  if (source === 'Prometheus' && metricsServer === true)
    add('metricsServer', 'metricsServer contradicts source: Prometheus');
  if (source === 'Prometheus' && !prometheus?.query) add('prometheus', 'source: Prometheus needs prometheus.query');
  return problems;
}

/** The parts of LowNodeUtilization's arguments that must agree. */
interface Thresholds {
  readonly useDeviationThresholds: boolean;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly targetThresholds: Readonly<Record<string, number>>;
  readonly metricsUtilization?: { readonly source: string | undefined } | undefined;
}

/** What the two threshold maps contradict each other in (rule T17); empty if they agree. */
export function thresholdProblems(args: Thresholds): readonly ArgProblem[] {
  const low = Object.keys(args.thresholds).sort();
  const high = Object.keys(args.targetThresholds).sort();
  const common = low.filter((name) => high.includes(name));
  const order = args.useDeviationThresholds ? [] : common.flatMap((name) => belowLow(name, args));
  if (low.join() !== high.join()) return [differentResources(low, high), ...order];
  return [...order, ...foreignResources(low, args.metricsUtilization?.source)];
}

function differentResources(low: readonly string[], high: readonly string[]): ArgProblem {
  const onlyLow = low.filter((name) => !high.includes(name));
  const onlyHigh = high.filter((name) => !low.includes(name));
  const parts = [
    ...(onlyLow.length > 0 ? [`${onlyLow.join(', ')} only in thresholds`] : []),
    ...(onlyHigh.length > 0 ? [`${onlyHigh.join(', ')} only in targetThresholds`] : []),
  ];
  const message = `thresholds and targetThresholds must name the same resources: ${parts.join('; ')}`;
  return { path: ['targetThresholds'], message };
}

function belowLow(name: string, { thresholds, targetThresholds }: Thresholds): ArgProblem[] {
  const low = thresholds[name] ?? 0;
  const high = targetThresholds[name] ?? 0;
  if (low <= high || low > 100 || high < 0) return [];
  return [
    { path: ['targetThresholds', name], message: `the target of ${name} (${high}) is below its threshold (${low})` },
  ];
}

function foreignResources(names: readonly string[], source: string | undefined): ArgProblem[] {
  if (source !== 'Prometheus' || names.join() === METRIC_RESOURCE) return [];
  const message = `with source: Prometheus both maps must name exactly ${METRIC_RESOURCE}`;
  return [{ path: ['thresholds'], message }];
}

/** Arguments of LowNodeUtilization (rule T17); percentages from 0 to 100. */
export const lowNodeUtilizationArgs = z
  .strictObject({
    useDeviationThresholds: z
      .boolean()
      .default(false)
      .describe('thresholds are distances from the average usage, in percent'),
    thresholds: fragment.thresholds.describe('a node below all of these percentages is a destination'),
    targetThresholds: fragment.thresholds.describe('a node above any of these percentages gives pods away'),
    numberOfNodes: fragment.count.default(0).describe('does nothing unless more nodes than this are underutilized'),
    metricsUtilization: metricsUtilization.optional(),
    evictableNamespaces: fragment.evictableNamespaces.optional(),
    evictionLimits: z
      .strictObject({ node: fragment.count.optional().describe('evictions from one node by this strategy in a cycle') })
      .optional(),
  })
  .superRefine((args, context) => {
    for (const issue of thresholdProblems(args)) context.addIssue({ code: 'custom', ...issue });
  });

/** Checked arguments of LowNodeUtilization. */
export type LowNodeUtilizationArgs = z.infer<typeof lowNodeUtilizationArgs>;

/** Arguments of HighNodeUtilization (rule T20). */
export const highNodeUtilizationArgs = z.strictObject({
  thresholds: fragment.thresholds.describe('a node below all of these percentages is to be emptied'),
  numberOfNodes: fragment.count.default(0).describe('does nothing unless more nodes than this are underutilized'),
  evictionModes: z
    .array(z.enum(['OnlyThresholdingResources']))
    .readonly()
    .optional()
    .describe('OnlyThresholdingResources: only pods that request a resource of the thresholds'),
  evictableNamespaces: fragment.evictableNamespaces.optional(),
});

/** Checked arguments of HighNodeUtilization. */
export type HighNodeUtilizationArgs = z.infer<typeof highNodeUtilizationArgs>;
