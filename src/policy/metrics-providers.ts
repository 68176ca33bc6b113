import { z } from 'zod';
import type { MetricsProvider } from './policy.ts';

const secretReference = z
  .strictObject({ namespace: z.string().default(''), name: z.string().default('') })
  .refine(({ namespace, name }) => namespace !== '' && name !== '', 'secretReference needs a namespace and a name');

const authToken = z.strictObject({ secretReference: secretReference.describe('the secret that holds the token') });

const prometheus = z.strictObject({
  url: z
    .string()
    .default('')
    .superRefine((url, context) => {
      const message = urlProblem(url);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('address of the Prometheus server'),
  authToken: authToken.optional().describe('bearer token; inside a cluster the service account has one'),
});

const metricsProvider = z
  .strictObject({
    source: z.enum(['KubernetesMetrics', 'Prometheus']).describe('where usage is measured'),
    prometheus: prometheus.optional(),
  })
  .refine(({ source, prometheus: block }) => source !== 'Prometheus' || block !== undefined, {
    error: 'source Prometheus needs a prometheus block with a url',
  })
  .transform(({ source, prometheus: block }): MetricsProvider => {
    return { source, url: block?.url, authSecret: block?.authToken?.secretReference };
  });

/** Where usage is measured, each source at most once (rule C3, V3 and V5 to V9). */
export const metricsProviders = z
  .array(metricsProvider)
  .superRefine((providers, context) => {
    for (const [index, { source }] of providers.entries()) {
      const isFirst = providers.findIndex((other) => other.source === source) === index;
      if (isFirst) continue;
      context.addIssue({ code: 'custom', path: [index, 'source'], message: `a second provider with source ${source}` });
    }
  })
  .describe('where usage is measured; each source once');

/** What keeps a text from being an address, judged as leniently as the Go descheduler does: a bare word passes. */
function urlProblem(url: string): string | undefined {
  if (url === '') return 'a prometheus block needs a url';
  if (/[\u0000-\u001f\u007f]/.test(url)) return 'a url cannot contain control characters';
  if (url.startsWith(':')) return 'the url has no scheme before its colon';
  if (/%(?![\da-f]{2})/i.test(url)) return 'a % in a url must be followed by two hexadecimal digits';
  const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  if (/\s/.test(authority)) return 'the host of the url contains a space';
  const port = /:([^:\]]*)$/.exec(authority.replace(/^.*@/, ''))?.[1] ?? '';
  return /^\d*$/.test(port) ? undefined : `the port of the url is not a number: ${port}`;
}
