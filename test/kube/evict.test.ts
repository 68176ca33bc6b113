import assert from 'node:assert/strict';
import type { EvictionEnding, EvictionFailure } from '../../src/outcomes/eviction-result.ts';
import { createEvict, type EvictOptions } from '../../src/kube/write/evict.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import * as given from '../builders/cluster.ts';
import { limitRate } from '../../src/kube/http/rate-limit.ts';
import { converse, HastyClock, status, type Conversation, type Heard, type Reply } from './conversation.ts';

const BUDGET = "Cannot evict pod as it would violate the pod's disruption budget.";
const request = {
  pod: given.pod('web-1', given.namespace('shop'), given.on('n1')),
  profile: 'main',
  strategy: 'RemoveDuplicates',
  reason: 'is one of 3 pods',
  gracePeriodSeconds: undefined as number | undefined,
};

interface Row {
  readonly row: string;
  readonly replies: readonly Reply[];
  readonly answer: EvictionEnding;
  /** Waits between the tries, in ms. */
  readonly waits?: readonly number[];
  readonly timeoutMs?: number;
}

const failed = (result: EvictionFailure, error: string): EvictionEnding => ({ result, error });
const random = () => 0;
const byBudget = { causes: [{ reason: 'DisruptionBudget' }] };
const done: Reply = { status: 201, body: { kind: 'Status', status: 'Success' } };

const rows: readonly Row[] = [
  { row: 'framework V1 the pod is present', replies: [done], answer: { result: 'evicted' } },
  {
    row: 'framework V1 the pod is absent',
    replies: [status(404, 'pods "web-1" not found', { name: 'web-1', kind: 'pods' })],
    answer: failed('gone', 'the pod is gone already'),
  },
  {
    row: 'framework V1 a budget says no: 429 without a time is final, the next cycle asks again',
    replies: [status(429, BUDGET, byBudget)],
    answer: failed('refused-by-budget', BUDGET),
  },
  {
    row: '429 with seconds is asked again then',
    replies: [{ ...status(429, 'being processed'), headers: { 'retry-after': '10' } }, done],
    answer: { result: 'evicted' },
    waits: [10_000],
  },
  {
    row: '429 with a time in its details only is asked again then',
    replies: [status(429, 'being processed', { retryAfterSeconds: 3 }), done],
    answer: { result: 'evicted' },
    waits: [3_000],
  },
  {
    row: '429 with a time beyond the deadline is not waited for',
    replies: [{ ...status(429, 'later'), headers: { 'retry-after': '120' } }],
    answer: failed('overloaded', 'the API server is overloaded: later (ask again in 120 s)'),
  },
  {
    row: '429 again and again ends at the deadline of 60 s',
    replies: Array.from({ length: 5 }, () => ({ ...status(429, 'busy'), headers: { 'retry-after': '25' } })),
    answer: failed('overloaded', 'the API server is overloaded: busy (ask again in 25 s) (tried 3 times)'),
    waits: [25_000, 25_000],
  },
  {
    row: '429 of a budget that is being processed is asked again, and is a refusal by the budget if that lasts',
    replies: Array.from({ length: 5 }, () => ({
      ...status(429, BUDGET, byBudget),
      headers: { 'retry-after': '25' },
    })),
    answer: failed('refused-by-budget', `${BUDGET} (ask again in 25 s) (tried 3 times)`),
    waits: [25_000, 25_000],
  },
  {
    row: '429 without the cause DisruptionBudget is no word of a budget, whatever it says: tried again',
    replies: [status(429, BUDGET), status(429, 'Too many requests', { causes: [{ reason: 'Other' }] }), done],
    answer: { result: 'evicted' },
    waits: [200, 400],
  },
  {
    row: '429 with a time that nobody can read counts as one without',
    replies: [{ ...status(429, 'soon'), headers: { 'retry-after': 'soon' } }, done],
    answer: { result: 'evicted' },
    waits: [200],
  },
  {
    row: '429 of API priority and fairness, as plain text',
    replies: [
      {
        status: 429,
        headers: { 'retry-after': '1', 'content-type': 'text/plain' },
        body: 'Too many requests, please try again later.',
      },
      done,
    ],
    answer: { result: 'evicted' },
    waits: [1_000],
  },
  {
    row: '409: the name belongs to another pod by now',
    replies: [status(409, 'Precondition failed: UID in precondition: a, UID in object meta: b')],
    answer: failed('gone', 'another pod has its name by now'),
  },
  {
    row: '409 of two writers at the same time is tried again',
    replies: [status(409, 'the object has been modified'), done],
    answer: { result: 'evicted' },
    waits: [200],
  },
  {
    row: '403',
    replies: [status(403, 'pods "web-1" is forbidden')],
    answer: failed(
      'rejected',
      'not allowed; the service account needs create on pods/eviction: pods "web-1" is forbidden',
    ),
  },
  {
    row: '401 twice: the token is of no use even when it is read again',
    replies: [status(401, 'Unauthorized'), status(401, 'Unauthorized')],
    answer: failed('rejected', 'the API server does not accept our token: Unauthorized'),
  },
  { row: '422', replies: [status(422, 'not valid')], answer: failed('rejected', 'not valid') },
  {
    row: '500 for several budgets on one pod stays so',
    replies: [
      status(500, 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'),
    ],
    answer: failed(
      'rejected',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    ),
  },
  {
    row: '500 that passes is tried again, with longer and longer waits',
    replies: [status(500, 'etcd'), status(503, 'etcd'), status(500, 'etcd'), done],
    answer: { result: 'evicted' },
    waits: [200, 400, 800],
  },
  {
    row: 'a connection that is cut before an answer: the pod may be gone, a second try is safe',
    replies: [{ cut: 'at once' }, done],
    answer: { result: 'evicted' },
    waits: [200],
  },
  {
    row: 'a connection that is cut, and then the pod is gone: the first try has worked',
    replies: [{ cut: 'at once' }, status(404, 'pods "web-1" not found', { name: 'web-1', kind: 'pods' })],
    answer: { result: 'evicted' },
    waits: [200],
  },
  {
    row: 'no answer in time, and then another pod has the name: the first try has worked',
    replies: [{ hang: 'at once' }, status(409, 'Precondition failed: UID in precondition: a, UID in object meta: b')],
    answer: { result: 'evicted' },
    waits: [200],
    timeoutMs: 500,
  },
  {
    row: 'garbage with a good status is a success all the same: the status is the answer',
    replies: [{ status: 201, body: '<html>' }],
    answer: { result: 'evicted' },
  },
  {
    row: 'an answer that is cut after its status is a success: the pod is not asked for again',
    replies: [{ status: 201, body: { kind: 'Status', status: 'Success' }, cut: 5 }],
    answer: { result: 'evicted' },
  },
  {
    row: 'a page of a proxy instead of an answer',
    replies: [{ status: 302, headers: { location: '/login' }, body: '<html>log in</html>' }],
    answer: failed('rejected', 'HTTP 302: <html>log in</html>'),
  },
];

describe('evicting', () => {
  for (const { row, replies, answer, waits = [], timeoutMs } of rows) {
    it(row, async () => {
      const clock = new HastyClock();
      const { result } = await ask(replies, { clock, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
      assert.deepEqual({ result, waits: clock.waits }, { result: answer, waits });
    });
  }

  it('is uncertain when the connection is cut on every try until the deadline', async () => {
    const replies = Array.from({ length: 40 }, () => ({ cut: 'at once' as const }));
    const clock = new HastyClock();
    const { result } = await ask(replies, { clock });
    assert.deepEqual(clock.waits, [200, 400, 800, 1600, 3200, ...Array.from({ length: 10 }, () => 5000)]);
    assert.equal(result.result, 'uncertain');
    assert.match(
      'error' in result ? result.error : '',
      /: .*; whether the pod was evicted is unknown \(tried 16 times\)$/,
    );
  });

  it('is not started when no connection comes about until the deadline: nothing was sent', async () => {
    const clock = new HastyClock();
    const { result } = await converse([], async ({ call }, { close }) => {
      close();
      return createEvict(call, { clock, random })(request, new AbortController().signal);
    });
    assert.equal(result.result, 'not-started');
    assert.match('error' in result ? result.error : '', /: connection refused \(tried 16 times\)$/);
  });

  it('is uncertain when a try was cut and no connection comes about after it', async () => {
    const clock = new HastyClock();
    const { result } = await converse([{ cut: 'at once' }], async ({ call }, { heard, close }) => {
      const answer = createEvict(call, { clock, random })(request, new AbortController().signal);
      while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
      close();
      return answer;
    });
    assert.equal(result.result, 'uncertain');
  });

  const afterCut: readonly [string, Reply, EvictionEnding['result']][] = [
    [
      'a budget that says no: the first try may have taken its last disruption',
      status(429, BUDGET, byBudget),
      'uncertain',
    ],
    ['403', status(403, 'forbidden'), 'uncertain'],
    ['422', status(422, 'not valid'), 'uncertain'],
    [
      '404: somebody has evicted it, most likely we',
      status(404, 'pods "web-1" not found', { name: 'web-1', kind: 'pods' }),
      'evicted',
    ],
  ];
  for (const [row, reply, expected] of afterCut) {
    it(`after a try that was cut, ${row}`, async () => {
      const { result } = await ask([{ cut: 'at once' }, reply], { clock: new HastyClock() });
      assert.equal(result.result, expected);
    });
  }

  for (const [name, reply, expected] of [
    ['away', { cut: 'at once' }, 'uncertain'],
    ['overloaded', status(429, 'busy'), 'overloaded'],
  ] as const) {
    it(`waits for a server that is ${name} once, not once for each eviction`, async () => {
      const clock = new HastyClock();
      const { result, heard } = await converse(
        Array.from({ length: 40 }, () => reply),
        async ({ call }) => {
          const evict = createEvict(call, { clock, random });
          const signal = new AbortController().signal;
          return [await evict(request, signal), await evict(request, signal)];
        },
      );
      assert.deepEqual(
        result.map((ending) => ending.result),
        [expected, expected],
      );
      // The second sees whether the server is back.
      assert.equal(heard.length, 16 + 1);
    });
  }

  it('spreads the next tries of those that were told to wait for the same time', async () => {
    const waits = [0, 0.5, 1].map(async (share) => {
      const clock = new HastyClock();
      const told = { ...status(429, 'busy'), headers: { 'retry-after': '4' } };
      await ask([told, done], { clock, random: () => share });
      return clock.waits;
    });
    assert.deepEqual(await Promise.all(waits), [[4_000], [4_500], [5_000]]);
  });

  it('framework V1 sends the eviction as the reference does, with the UID of the pod that was decided on', async () => {
    const { heard } = await ask([done], { clock: new HastyClock() });
    assert.deepEqual(heard.map(withoutHeaders), [
      {
        method: 'POST',
        path: '/api/v1/namespaces/shop/pods/web-1/eviction',
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: {
            name: 'web-1',
            namespace: 'shop',
            annotations: {
              'requested-by': 'sigs.k8s.io/descheduler',
              reason: 'profile main, strategy RemoveDuplicates: is one of 3 pods',
            },
          },
          deleteOptions: { preconditions: { uid: request.pod.uid } },
        },
      },
    ]);
  });

  it('names the grace period of the policy, 0 too', async () => {
    const { heard } = await ask([done], { clock: new HastyClock() }, { ...request, gracePeriodSeconds: 0 });
    assert.deepEqual((heard[0]?.body as { deleteOptions: object }).deleteOptions, {
      preconditions: { uid: request.pod.uid },
      gracePeriodSeconds: 0,
    });
  });

  it('waits aside, so that it holds no place in the pool meanwhile', async () => {
    const asides: string[] = [];
    const clock = new HastyClock();
    await converse([{ ...status(429, 'busy'), headers: { 'retry-after': '5' } }, done], ({ call }) =>
      createEvict(call, { clock, random })(request, new AbortController().signal, async (wait) => {
        asides.push('aside');
        await wait;
        asides.push('back');
      }),
    );
    assert.deepEqual(asides, ['aside', 'back']);
  });
});

describe('evicting when the run is ended', () => {
  it('what is in flight is waited for, and reported as it ended', async () => {
    const stop = new AbortController();
    const clock = new VirtualClock(0);
    const { result } = await converse([done], async ({ call }, conversation) => {
      const answer = createEvict(call, { clock, random })(request, stop.signal);
      await heardFirst(conversation);
      stop.abort();
      return answer;
    });
    assert.deepEqual(result, { result: 'evicted' });
  });

  it('what is refused then is not tried again', async () => {
    const stop = new AbortController();
    const { result, heard } = await converse(
      [{ ...status(429, 'busy'), headers: { 'retry-after': '5' } }, done],
      async ({ call }, conversation) => {
        const answer = createEvict(call, { clock: new VirtualClock(0), random })(request, stop.signal);
        await heardFirst(conversation);
        stop.abort();
        return answer;
      },
    );
    assert.deepEqual(
      result,
      failed(
        'overloaded',
        'the run was ended before it succeeded: the API server is overloaded: busy (ask again in 5 s)',
      ),
    );
    assert.equal(heard.length, 1);
  });

  it('what waits for its turn is not sent any more', async () => {
    const stop = new AbortController();
    const { result, heard } = await converse([done, done], async ({ call }) => {
      const clock = new VirtualClock(0);
      const evict = createEvict(limitRate({ qps: 1, burst: 1 }, clock)(call), { clock, random });
      await evict(request, stop.signal);
      const waiting = evict(request, stop.signal);
      setImmediate(() => stop.abort());
      return waiting;
    });
    assert.deepEqual(result, failed('not-started', 'the run was ended before this eviction was asked for'));
    assert.equal(heard.length, 1);
  });

  it('a wait between two tries ends at once', async () => {
    const stop = new AbortController();
    const { result } = await converse([status(409, 'modified'), done], ({ call }) =>
      createEvict(call, { clock: new VirtualClock(0), random })(request, stop.signal, (wait) => {
        stop.abort();
        return wait;
      }),
    );
    assert.deepEqual(result, failed('rejected', 'the run was ended before it succeeded: modified'));
  });

  it('an answer that does not come within the grace time leaves the fate of the pod unknown', async () => {
    const stop = new AbortController();
    const clock = new VirtualClock(0);
    const { result } = await converse([{ hang: 'at once' }], async ({ call }, conversation) => {
      const answer = createEvict(call, { clock, random })(request, stop.signal);
      await heardFirst(conversation);
      stop.abort();
      await clock.advanceTo(9_999);
      const early = await Promise.race([answer, Promise.resolve('waiting')]);
      assert.equal(early, 'waiting');
      await clock.advanceTo(10_000);
      return answer;
    });
    assert.deepEqual(
      result,
      failed('uncertain', 'the run was ended before the API server answered; whether the pod was evicted is unknown'),
    );
  });
});

async function heardFirst({ heard }: Conversation): Promise<void> {
  while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
}

async function ask(
  replies: readonly Reply[],
  options: Partial<EvictOptions> & Pick<EvictOptions, 'clock'>,
  asked = request,
) {
  return converse(replies, ({ call }) =>
    createEvict(call, { random, ...options })(asked, new AbortController().signal),
  );
}

function withoutHeaders({ method, path, body }: Heard): object {
  return { method, path, body };
}
