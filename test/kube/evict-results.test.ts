import assert from 'node:assert/strict';
import { runCycle } from '../../src/descheduler/cycle.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { memoryHistory } from '../../src/evictor/limits/history.ts';
import { createEvict } from '../../src/kube/write/evict.ts';
import { hasFailed } from '../../src/outcomes/cycle-report.ts';
import type { Outcome } from '../../src/outcomes/outcome.ts';
import type { Limits } from '../../src/policy/policy.ts';
import { reportDocument } from '../../src/report/document.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import * as given from '../builders/cluster.ts';
import { evicts, policy, profile } from '../descheduler/policies.ts';
import { converse, HastyClock, status, type Reply, type Script } from './conversation.ts';

const MINUTE = 60_000;
const NOW = '2026-01-15T09:00:00Z';
const [a, b] = ['a', 'b'].map((name) => given.pod(name, given.on('n1'), given.ownedBy('ReplicaSet', name))) as [
  ReturnType<typeof given.pod>,
  ReturnType<typeof given.pod>,
];
const cluster = given.snapshot(given.node('n1'), given.node('n2'), given.budget('other', 'app=other'), a, b);
const done: Reply = { status: 201, body: { kind: 'Status', status: 'Success' } };
const pathOf = (name: string) => `/api/v1/namespaces/default/pods/${name}/eviction`;

/** Both strategies find a pod on the same node, which may lose one. */
const LIMITS: Partial<Limits> = {
  node: 1,
  windows: [{ per: 'node', max: { pods: 1 }, windowMs: 60 * MINUTE }],
  blockedPods: { baseMs: 10 * MINUTE, maxMs: 60 * MINUTE },
};

interface Row {
  readonly row: string;
  /** What the API server says to the first pod. */
  readonly replies: readonly Reply[];
  /** The first eviction in the report, without its error. */
  readonly result: object;
  /** What becomes of the second pod of that node. */
  readonly second: string;
  readonly failed: boolean;
  readonly remembered: readonly string[];
  readonly metric: string;
}

const always = (reply: Reply) => Array.from({ length: 40 }, () => reply);
const EVICTED = { result: 'evicted' };
const HELD_BACK = 'refused by maxNoOfPodsToEvictPerNode';

const rows: readonly Row[] = [
  {
    row: 'evicted',
    replies: [done],
    ...{ result: EVICTED, second: HELD_BACK, failed: false, remembered: ['evicted a'], metric: 'success' },
  },
  {
    row: 'the connection is cut on every try until the deadline: uncertain',
    replies: always({ cut: 'at once' }),
    ...{ result: { result: 'uncertain' }, second: HELD_BACK, failed: true, remembered: ['evicted a'] },
    metric: 'uncertain',
  },
  {
    row: 'cut, and then gone: it was most likely ours',
    replies: [{ cut: 'at once' }, status(404, 'pods "a" not found', { name: 'a', kind: 'pods' })],
    ...{ result: EVICTED, second: HELD_BACK, failed: false, remembered: ['evicted a'], metric: 'success' },
  },
  {
    row: 'gone: 404',
    replies: [status(404, 'pods "a" not found', { name: 'a', kind: 'pods' })],
    ...{ result: { result: 'gone' }, second: 'evicted', failed: false, remembered: ['evicted b'], metric: 'gone' },
  },
  {
    row: 'gone: another pod has its name',
    replies: [status(409, 'Precondition failed: UID in precondition: a, UID in object meta: b')],
    ...{ result: { result: 'gone' }, second: 'evicted', failed: false, remembered: ['evicted b'], metric: 'gone' },
  },
  {
    row: '429 of a budget: a block, no eviction',
    replies: [status(429, 'no disruption', { causes: [{ reason: 'DisruptionBudget' }] })],
    result: { result: 'failed', failure: 'refused-by-budget' },
    ...{ second: 'evicted', failed: false, remembered: ['evicted b', 'blocked a'], metric: 'error' },
  },
  {
    row: '429 without that cause, as long as it lasts: overloaded, no block',
    replies: always(status(429, 'too many requests')),
    result: { result: 'failed', failure: 'overloaded' },
    ...{ second: 'evicted', failed: true, remembered: ['evicted b'], metric: 'error' },
  },
  ...([403, 400, 422] as const).map((code): Row => ({
    row: `${code}: rejected`,
    replies: [status(code, 'no')],
    result: { result: 'failed', failure: 'rejected' },
    ...{ second: 'evicted', failed: true, remembered: ['evicted b'], metric: 'error' },
  })),
  ...(
    [
      [
        'of a proxy',
        { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>404 page not found</html>' },
      ],
      ['of an API that is not served', status(404, 'the server could not find the requested resource', {})],
    ] as const
  ).map(([whose, reply]): Row => ({
    row: `404 ${whose}, which names no pod: rejected, not gone`,
    replies: [reply],
    result: { result: 'failed', failure: 'rejected' },
    ...{ second: 'evicted', failed: true, remembered: ['evicted b'], metric: 'error' },
  })),
  {
    row: 'a failure under a 201: rejected',
    replies: [{ status: 201, body: { kind: 'Status', status: 'Failure', code: 403, message: 'no' } }],
    result: { result: 'failed', failure: 'rejected' },
    ...{ second: 'evicted', failed: true, remembered: ['evicted b'], metric: 'error' },
  },
  {
    row: '500 for two budgets: rejected at once',
    replies: [
      status(500, 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'),
    ],
    result: { result: 'failed', failure: 'rejected' },
    ...{ second: 'evicted', failed: true, remembered: ['evicted b'], metric: 'error' },
  },
];

describe('what the API server says, from the wire to report, exit code, limits, history and metric', () => {
  for (const { row, replies, ...expected } of rows) {
    it(row, async () => {
      const seen = await run({ [pathOf('a')]: replies, [pathOf('b')]: [done] });
      const { second, failed, remembered, metric } = seen;
      assert.deepEqual({ result: seen.first, second, failed, remembered, metric }, expected);
    });
  }

  it('the summary counts each kind', async () => {
    const { summary } = await run({
      [pathOf('a')]: [status(404, 'gone', { name: 'a', kind: 'pods' })],
      [pathOf('b')]: always({ cut: 'at once' }),
    });
    assert.deepEqual(summary, {
      ...{ evicted: 0, refused: 0, failed: 0, gone: 1, uncertain: 1 },
      ...{ cutByLimits: [], complete: true },
    });
  });

  it('a run that ends before an answer comes: uncertain for what was asked, and nothing else is', async () => {
    const stop = new AbortController();
    const script = { [pathOf('a')]: [{ hang: 'at once' as const }], [pathOf('b')]: [done] };
    const { first, second, remembered } = await run(script, stop);
    assert.deepEqual([first, second, remembered], [{ result: 'uncertain' }, 'not proposed', ['evicted a']]);
  });
});

/** One cycle of two strategies against the recorded server; with `stop` the run is ended once the first pod was asked for. */
async function run(script: Script, stop?: AbortController) {
  const history = memoryHistory();
  const clock = new HastyClock();
  const metrics = createMetrics('1');
  const signal = stop?.signal ?? new AbortController().signal;
  const source = { kind: 'cluster', name: 'x', now: NOW, nowFrom: 'clock' } as const;
  const rules = policy([profile('main', evicts('First', [a]), evicts('Second', [b]))()], { limits: LIMITS });
  const { result: report } = await converse(script, async ({ call }, { heard }) => {
    const ending = stop && until(() => heard.length > 0).then(() => stop.abort());
    const ended = await runCycle(
      rules,
      {
        cluster: () => Promise.resolve({ snapshot: cluster, source, warnings: [] }),
        usage: recordedUsage,
        evict: createEvict(call, { clock, random: () => 0 }),
        history,
        observe: (outcome: Outcome) => metrics.observe(outcome),
        clock,
      },
      { dryRun: false, signal },
    );
    await ending;
    return ended;
  });
  const { evictions, summary } = reportDocument(report) as unknown as {
    evictions: readonly (Record<string, string> & { pod: string })[];
    summary: object;
  };
  const of = (name: string) => evictions.find(({ pod }) => pod === name);
  const first = of('a');
  const refusal = report.refusals.find(({ pod }) => pod === b);
  const loaded = await history.load();
  const state = loaded.ok ? loaded.value.state : undefined;
  const counted = (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('descheduler_pods_evicted_total{'));
  return {
    first: { result: first?.result, ...(first?.failure === undefined ? {} : { failure: first.failure }) },
    second: of('b')?.result ?? (refusal ? `refused by ${refusal.refusedBy}` : 'not proposed'),
    failed: hasFailed(report),
    remembered: [
      ...(state?.evictions ?? []).map(({ id }) => `evicted ${nameOf(id.replace(/@.*/u, ''))}`),
      ...(state?.blocks ?? []).map(({ uid }) => `blocked ${nameOf(uid)}`),
    ],
    metric: /result="(\w+)"/u.exec(counted[0] ?? '')?.[1],
    summary,
  };
}

function nameOf(uid: string): string {
  return [a, b].find((pod) => pod.uid === uid)?.name ?? uid;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
