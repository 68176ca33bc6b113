import assert from 'node:assert/strict';
import { ClusterStore } from '../../src/cluster/store.ts';
import { createEventWriter } from '../../src/kube/write/events.ts';
import { createEvict } from '../../src/kube/write/evict.ts';
import { configMapHistory } from '../../src/kube/write/history-config-map.ts';
import { whileLeading } from '../../src/kube/leader-election.ts';
import { lifecyclePorts } from '../../src/kube/write/lifecycle-ports.ts';
import { ListWatch } from '../../src/kube/watch/list-watch.ts';
import { listAll } from '../../src/kube/watch/list.ts';
import { parsedPages } from '../../src/kube/watch/page.ts';
import { sleep } from '../../src/lib/clock.ts';
import { WorkQueue } from '../../src/lib/work-queue.ts';
import * as given from '../builders/cluster.ts';
import { page, play, status, type Reply, type Script } from './conversation.ts';
import { inVirtualMinutes, type Talker } from './virtual-minutes.ts';

/** Requests that a server which fails may get in a minute from one kind of call. */
const MOST = 20;

/** The shortest waits there are. */
const random = () => 0;
const always = (...replies: readonly Reply[]) => Array.from({ length: 200 }, () => replies).flat();
const until = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
const busy = (headers: Readonly<Record<string, string>> = {}): Reply => ({ ...status(429, 'busy'), headers });
const html = '<html><body>Bad gateway</body></html>';
const LEASE = { namespace: 'kube-system', name: 'evenkeel', identity: 'me' };

const answers: Readonly<Record<string, Reply>> = {
  '429': busy(),
  '429, Retry-After 0': busy({ 'retry-after': '0' }),
  '429, Retry-After 1': busy({ 'retry-after': '1' }),
  '429, Retry-After -5': busy({ 'retry-after': '-5' }),
  '429, Retry-After 0.001': busy({ 'retry-after': '0.001' }),
  '429, Retry-After soon': busy({ 'retry-after': 'soon' }),
  '429, Retry-After a year': busy({ 'retry-after': '31536000' }),
  '429, Retry-After a past date': busy({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
  '429, retryAfterSeconds 0': status(429, 'busy', { retryAfterSeconds: 0 }),
  '429, retryAfterSeconds 0.001': status(429, 'busy', { retryAfterSeconds: 0.001 }),
  '429, retryAfterSeconds -1': status(429, 'busy', { retryAfterSeconds: -1 }),
  '429, retryAfterSeconds 1e308': status(429, 'busy', { retryAfterSeconds: 1e308 }),
  '429 with the cause of a budget': status(429, 'no', {
    causes: [{ reason: 'DisruptionBudget' }],
    retryAfterSeconds: 1,
  }),
  '500': status(500, 'etcd'),
  '503': status(503, 'starting'),
  '503 as a page': { status: 503, body: html, headers: { 'content-type': 'text/html' } },
  '401': status(401, 'Unauthorized'),
  'nothing at all': { body: '' },
  'a page': { body: html, headers: { 'content-type': 'text/html' } },
  null: { body: 'null' },
  'half an object': { body: '{"metadata":{"resourceVersion":"7"},"items":[{"metadata"' },
  garbage: { body: '\u0000\u0001{]' },
  'a cut connection': { cut: 'at once' },
  'a cut answer': { body: '{"metadata":{}}', cut: 4 },
  'no answer': { hang: 'at once' },
  'an answer that stops': { hang: 'after head', body: '{"metadata":{}}' },
  '410': status(410, 'too old'),
};

const pod = { ...given.pod('p', given.on('n')), uid: 'u' };
const request = { pod, profile: 'main', strategy: 'S', reason: 'is old', gracePeriodSeconds: undefined };
const event = { type: 'Normal', reason: 'R', action: 'A', note: 'n', regarding: { ...pod, kind: 'Pod' } } as const;

const watch = async ({ server, clock, signal }: Talker) => {
  const store = new ClusterStore();
  const it = new ListWatch({ kind: 'Pod', path: '/pods', call: server.call, store, clock, random });
  it.start();
  await until(signal);
  await it.stop();
};

/** Each kind of call, asked for again and again as the program does it. */
const calls: Readonly<Record<string, (talker: Talker) => Promise<unknown>>> = {
  list: ({ server, clock, signal }) =>
    listAll(server.call, { path: '/pods', open: parsedPages }, { clock, random, signal }),
  watch,
  evict: ({ server, clock, signal }) => createEvict(server.call, { clock, random })(request, signal),
  'the Lease of a candidate': ({ server, clock, signal }) =>
    whileLeading(
      (leading) => until(leading),
      { ...LEASE, leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
      { call: server.call, clock, random, signal },
    ),
  async events({ server, clock, signal }) {
    const writer = createEventWriter(server.call, { clock, random, instance: 'me' });
    while (!signal.aborted) {
      writer.write(event);
      await sleep(clock, 100, signal);
    }
    await writer.flush(1_000);
  },
  'a history': async ({ server, clock, signal }) => {
    const history = configMapHistory(server.call, { namespace: 'n', name: 'h', clock, random });
    while (!signal.aborted) await history.load(signal);
  },
  async patches({ server, clock, signal }) {
    const ports = lifecyclePorts(server.call);
    const node = given.node('n');
    const work = async () => {
      const answer = await ports.patchNode({ node, resourceVersion: '1', change: { labels: { a: 'b' } } });
      return answer.ok ? ('done' as const) : ('retry' as const);
    };
    const queue = new WorkQueue({ clock, workers: 8, backoff: { baseMs: 100, capMs: 10_000 }, random, work });
    // Watches tell of the node all the time.
    while (!signal.aborted) {
      queue.add('n');
      await sleep(clock, 100, signal);
    }
    await queue.stop();
  },
};

/** Answers that say of a call that it was done. */
const SERVED: Readonly<Record<string, ReadonlySet<string>>> = {
  evict: new Set([
    'nothing at all',
    'a page',
    'null',
    'half an object',
    'garbage',
    'a cut answer',
    'an answer that stops',
  ]),
  events: new Set(['nothing at all', 'a page', 'null', 'half an object', 'garbage']),
};

describe('a server that fails gets at most 20 requests a minute', () => {
  for (const [call, talk] of Object.entries(calls)) {
    for (const [answer, reply] of Object.entries(answers)) {
      if (SERVED[call]?.has(answer)) continue;
      it(`${call}: ${answer}`, async () => {
        const asked = await inVirtualMinutes(always(reply), talk);
        assert.ok(asked.length >= 1 && asked.length <= MOST, `${asked.length}: ${asked.join()}`);
      });
    }
  }

  const pods = (token?: string) =>
    page([{ metadata: { name: 'a', uid: 'u' } }], token === undefined ? {} : { continue: token });
  const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } };
  const circles: Readonly<Record<string, Script>> = {
    'lists that work and watches that are too old': always(pods(), status(410, 'too old')),
    'watches that say in an event that they are too old': always(pods(), {
      body: `${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`,
    }),
    'pages whose tokens are too old': always(pods('x'), status(410, 'too old')),
    'pages that are damaged': always({ body: '{"metadata":{"resourceVersion":"1"},"items":[#]}' }),
    'the same continue token again and again': always(pods('x')),
    'two continue tokens in turn': always(pods('x'), pods('y')),
    'watches that end at once': [pods(), ...always({ body: '' })],
    'watches that end after one event': [pods(), ...always({ body: `${JSON.stringify(bookmark)}\n` })],
    'watches that send garbage': always(pods(), { body: 'garbage\n' }),
    'watches that are cut': [pods(), ...always({ body: `${JSON.stringify(bookmark)}\n`, cut: 5 })],
    'watches that send an error with a time of 0': [
      pods(),
      ...always({
        body: `${JSON.stringify({ type: 'ERROR', object: { code: 429, details: { retryAfterSeconds: 0 } } })}\n`,
      }),
    ],
  };
  for (const [circle, script] of Object.entries(circles)) {
    it(`watch: ${circle}`, async () => {
      const asked = await inVirtualMinutes(script, watch);
      assert.ok(asked.length >= 3 && asked.length <= MOST, `${asked.length}: ${asked.join()}`);
    });
  }

  it('evict: many at once, each of which may ask once, and then one for all', async () => {
    const many = async ({ server, clock, signal }: Talker) => {
      const evict = createEvict(server.call, { clock, random });
      const endings: string[] = [];
      for (let batch = 0; batch < 10; batch++) {
        const all = await Promise.all(Array.from({ length: 64 }, () => evict(request, signal)));
        endings.push(...all.map(({ result }) => result));
      }
      // Of those that come after the minute one each time sees whether the server is back.
      assert.equal(endings.slice(-5 * 64).filter((result) => result !== 'not-started').length, 5);
    };
    const asked = await inVirtualMinutes(always(status(503, 'no')), many, { minutes: 2 });
    const after = asked.slice(64);
    for (const from of after) {
      const within = after.filter((at) => at >= from && at < from + 60).length;
      assert.ok(within <= MOST, `${within} from ${from} s: ${after.join()}`);
    }
  });
});

describe('a redirect', () => {
  it('leads nowhere: no other server hears of the request, nor of the token', async () => {
    const other = await play(always({}));
    for (const code of [301, 302, 303, 307, 308]) {
      const away: Reply = { status: code, body: html, headers: { location: `${other.url}/pods` } };
      for (const [call, talk] of Object.entries(calls)) {
        const asked = await inVirtualMinutes(always(away), talk);
        assert.ok(asked.length >= 1 && asked.length <= MOST, `${call}: ${asked.length}`);
      }
    }
    assert.equal(other.heard.length, 0);
    other.close();
  }).timeout(60_000);
});
