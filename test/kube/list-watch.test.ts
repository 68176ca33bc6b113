import assert from 'node:assert/strict';
import { ClusterStore } from '../../src/cluster/store.ts';
import { ListWatch, type WatchState } from '../../src/kube/watch/list-watch.ts';
import { converse, HastyClock, page, status, type Reply } from './conversation.ts';

/** A pod as the API has it. */
function pod(name: string, version: string, uid = `u-${name}`) {
  const metadata = { name, namespace: 'shop', uid, resourceVersion: version, labels: { version } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'n1', containers: [] } };
}

const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const bookmark = (version: string) => line('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: version } });
const watch = (...lines: readonly string[]): Reply => ({ body: lines.join('') });
/** A watch that stays open and says nothing; every script ends with one. */
const quiet: Reply = { hang: 'after head' };
const first = page([pod('a', '5'), pod('b', '6')]);

interface Row {
  readonly row: string;
  readonly replies: readonly Reply[];
  /** What was asked for: `list`, `list@token`, or `watch@version`. */
  readonly asked: readonly string[];
  /** What the store holds at the end, as `name/uid@version`. */
  readonly store: readonly string[];
  readonly states: readonly WatchState[];
  readonly failures?: readonly string[];
  /** In ms. */
  readonly waits?: readonly number[];
  readonly announced: readonly string[];
  readonly silenceMs?: number;
}

const rows: readonly Row[] = [
  {
    row: 'a list of two pages, then a watch from its version',
    replies: [page([pod('a', '5')], { continue: 'c1' }), page([pod('b', '6')], { resourceVersion: '7' }), quiet],
    asked: ['list', 'list@c1', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['watching'],
    announced: ['u-a', 'u-b'],
  },
  {
    row: 'additions, changes and deletions are taken in order; the next watch goes on from the last version',
    replies: [
      first,
      watch(line('ADDED', pod('c', '8')), line('MODIFIED', pod('a', '9')), line('DELETED', pod('b', '10'))),
      quiet,
    ],
    asked: ['list', 'watch@7', 'watch@10'],
    store: ['a/u-a@9', 'c/u-c@8'],
    states: ['watching', 'backing-off', 'watching'],
    waits: [1_000],
    announced: ['u-a', 'u-b', 'u-c', 'u-a', 'u-b'],
  },
  {
    row: 'a bookmark moves the version and nothing else',
    replies: [first, watch(bookmark('20')), quiet],
    asked: ['list', 'watch@7', 'watch@20'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['watching', 'backing-off', 'watching'],
    waits: [1_000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: '410 to a watch: a new list finds what was deleted and what was made again under the same name',
    replies: [first, status(410, 'too old'), page([pod('a', '30', 'u-a2')], { resourceVersion: '31' }), quiet],
    asked: ['list', 'watch@7', 'list', 'watch@31'],
    store: ['a/u-a2@30'],
    states: ['backing-off', 'listing', 'watching'],
    failures: ['gone: too old'],
    waits: [1_000],
    announced: ['u-a', 'u-b', 'u-a', 'u-b', 'u-a2'],
  },
  {
    row: '410 as an event ends the watch; what stands behind it is not taken',
    replies: [
      first,
      watch(bookmark('20'), line('ERROR', { code: 410, message: 'too old' }), line('ADDED', pod('c', '21'))),
      page([pod('b', '6')], { resourceVersion: '40' }),
      quiet,
    ],
    asked: ['list', 'watch@7', 'list', 'watch@40'],
    store: ['b/u-b@6'],
    states: ['watching', 'backing-off', 'listing', 'watching'],
    failures: ['gone: too old'],
    waits: [1_000],
    announced: ['u-a', 'u-b', 'u-a'],
  },
  {
    row: '410 again and again is waited for longer and longer, although each list succeeds',
    replies: [
      first,
      status(410, 'too old'),
      first,
      status(410, 'too old'),
      first,
      status(410, 'too old'),
      first,
      quiet,
    ],
    asked: ['list', 'watch@7', 'list', 'watch@7', 'list', 'watch@7', 'list', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: [
      ...['backing-off', 'listing', 'backing-off', 'listing', 'backing-off', 'listing', 'watching'],
    ] as readonly WatchState[],
    failures: ['gone: too old', 'gone: too old', 'gone: too old'],
    waits: [1_000, 2_000, 4_000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: '429 with seconds is asked again then, from the same version',
    replies: [first, { ...status(429, 'busy'), headers: { 'retry-after': '7' } }, quiet],
    asked: ['list', 'watch@7', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['backing-off', 'watching'],
    failures: ['too-many-requests: busy'],
    waits: [7000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: 'an error event other than 410 is waited for and goes on from the version that was reached',
    replies: [first, watch(bookmark('20'), line('ERROR', { code: 500, message: 'oops' })), quiet],
    asked: ['list', 'watch@7', 'watch@20'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['watching', 'backing-off', 'watching'],
    failures: ['transient: oops'],
    waits: [1_000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: 'a connection cut in the middle of an event: the whole events count, the torn one comes again',
    replies: [
      first,
      {
        body: line('ADDED', pod('c', '8')) + line('ADDED', pod('d', '9')),
        cut: line('ADDED', pod('c', '8')).length + 30,
      },
      watch(line('ADDED', pod('d', '9'))),
      quiet,
    ],
    asked: ['list', 'watch@7', 'watch@8', 'watch@9'],
    store: ['a/u-a@5', 'b/u-b@6', 'c/u-c@8', 'd/u-d@9'],
    states: ['watching', 'backing-off', 'watching', 'backing-off', 'watching'],
    waits: [1_000, 2_000],
    announced: ['u-a', 'u-b', 'u-c', 'u-d'],
  },
  {
    row: 'garbage: what it was only a new list can tell',
    replies: [first, watch(bookmark('20'), '{"type":"ADD\n', line('DELETED', pod('a', '21'))), first, quiet],
    asked: ['list', 'watch@7', 'list', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['watching', 'backing-off', 'listing', 'watching'],
    failures: ['transient: the watch sent something that is not an event'],
    waits: [1_000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: 'an event of a type that nobody knows is garbage, too',
    replies: [first, watch(line('REMOVED', pod('a', '21'))), first, quiet],
    asked: ['list', 'watch@7', 'list', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['watching', 'backing-off', 'listing', 'watching'],
    failures: ['transient: the watch sent something that is not an event'],
    waits: [1_000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: 'silence is the end of a watch; the next one goes on from its version',
    replies: [first, quiet, watch(line('ADDED', pod('c', '8'))), quiet],
    asked: ['list', 'watch@7', 'watch@7', 'watch@8'],
    store: ['a/u-a@5', 'b/u-b@6', 'c/u-c@8'],
    states: ['watching', 'backing-off', 'watching', 'backing-off', 'watching'],
    failures: ['transient: the watch fell silent'],
    waits: [1_000, 2_000],
    announced: ['u-a', 'u-b', 'u-c'],
    silenceMs: 300,
  },
  {
    row: 'a line without end is garbage',
    replies: [first, { body: 'x'.repeat(65 * 1024 * 1024) }, first, quiet],
    asked: ['list', 'watch@7', 'list', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['watching', 'backing-off', 'listing', 'watching'],
    failures: ['transient: the watch sent something that is not an event'],
    waits: [1_000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: 'a server that closes every watch at once is not flooded',
    replies: [first, watch(), watch(), watch(), quiet],
    asked: ['list', 'watch@7', 'watch@7', 'watch@7', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['watching', 'backing-off', 'watching', 'backing-off', 'watching', 'backing-off', 'watching'],
    failures: Array.from({ length: 3 }, () => 'transient: the watch ended at once'),
    waits: [1_000, 2_000, 4_000],
    announced: ['u-a', 'u-b'],
  },
  {
    row: 'a list that is refused is tried again; nothing counts as deleted by it',
    replies: [status(403, 'no'), first, quiet],
    asked: ['list', 'list', 'watch@7'],
    store: ['a/u-a@5', 'b/u-b@6'],
    states: ['backing-off', 'listing', 'watching'],
    failures: ['forbidden: no'],
    waits: [1_000],
    announced: ['u-a', 'u-b'],
  },
];

describe('a list-watch', () => {
  for (const row of rows) {
    it(row.row, async () => {
      const { asked, store, states, announced, failures = [], waits = [] } = row;
      const seen = await follow(row.replies, row.silenceMs);
      assert.deepEqual(seen, { asked, store, states, announced, failures, waits });
    });
  }

  it('is synced by its first list, and stops in the state stopped with nothing under way', async () => {
    await converse([first, quiet], async ({ call }) => {
      const store = new ClusterStore();
      const states: WatchState[] = [];
      const parts = { kind: 'Pod', path: '/api/v1/pods', call, store, clock: new HastyClock() } as const;
      const list = new ListWatch({ ...parts, random: () => 0, onState: (state) => states.push(state) });
      assert.deepEqual([list.state, store.isSynced('Pod')], ['listing', false]);
      list.start();
      await turns(() => list.state === 'watching');
      assert.equal(store.isSynced('Pod'), true);
      await list.stop();
      assert.deepEqual(states, ['watching', 'stopped']);
    });
  });
});

async function follow(replies: readonly Reply[], silenceMs = 60_000) {
  const store = new ClusterStore();
  const clock = new HastyClock();
  const states: WatchState[] = [];
  const failures: string[] = [];
  const announced: string[] = [];
  store.subscribe(({ uid }) => announced.push(uid));
  const { heard } = await converse(replies, async ({ call }, conversation) => {
    const list = new ListWatch({
      ...{ kind: 'Pod', path: '/api/v1/pods', call, store, clock, silenceMs },
      // Full waits, so that they can be told.
      random: () => 0,
      onState: (state) => states.push(state),
      onFailure: ({ kind, message }) => failures.push(`${kind}: ${message}`),
    });
    list.start();
    await turns(() => conversation.heard.length === replies.length && list.state === 'watching');
    await list.stop();
  });
  const asked = heard.map(({ path }) => wish(new URL(path, 'http://x').searchParams));
  const { pods } = store.contents();
  const held = pods.map(({ name, uid, labels }) => `${name}/${uid}@${labels['version'] ?? ''}`).sort();
  return { asked, store: held, states: states.slice(0, -1), failures, waits: clock.waits, announced };
}

function wish(query: URLSearchParams): string {
  if (query.get('watch') === '1') return `watch@${query.get('resourceVersion') ?? ''}`;
  return query.has('continue') ? `list@${query.get('continue') ?? ''}` : 'list';
}

/** Lets the event loop turn until that is so; the time limit of the test ends it otherwise. */
async function turns(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}
