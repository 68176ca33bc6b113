import assert from 'node:assert/strict';
import { EMPTY_HISTORY, type History, type HistoryEvent, type PastEviction } from '../../src/evictor/limits/history.ts';
import { writeHistory } from '../../src/evictor/limits/history-text.ts';
import { configMapHistory, type HistoryOptions } from '../../src/kube/write/history-config-map.ts';
import { converse, HastyClock, status, type Heard, type Reply } from './conversation.ts';

const NOW = Date.parse('2026-01-15T09:00:00Z');
const HOUR = 3_600_000;
const retention = { windowMs: HOUR, cooldown: undefined, blockMs: 0 };
const PATH = '/api/v1/namespaces/kube-system/configmaps/evenkeel-history';
const COLLECTION = '/api/v1/namespaces/kube-system/configmaps';

const gone = (id: string, minutesAgo: number): PastEviction => {
  return { at: NOW - minutesAgo * 60_000, namespace: 'shop', owner: 'Deployment/web', node: 'n1', id };
};
const a = gone('a', 20);
const b = gone('b', 10);
const c = gone('c', 5);
const change = (...evictions: readonly PastEviction[]) => {
  const events = evictions.map((one): HistoryEvent => ({ kind: 'evicted', ...one }));
  return { events, retention, now: NOW };
};

/** The ConfigMap as the server answers it. */
function stored(resourceVersion: string, text: string | undefined, more: object = {}): Reply {
  const metadata = {
    name: 'evenkeel-history',
    namespace: 'kube-system',
    resourceVersion,
    annotations: { team: 'ops' },
  };
  const data = text === undefined ? {} : { 'history.json': text };
  return { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...data, ...more } } };
}

const textOf = (...evictions: readonly PastEviction[]) => writeHistory({ evictions, blocks: [] }, 900_000).text;
const absent = status(404, 'configmaps "evenkeel-history" not found');
const conflict = status(409, 'the object has been modified; please apply your changes to the latest version');

function talk<T>(replies: readonly Reply[], use: (history: History) => Promise<T>, over: Partial<HistoryOptions> = {}) {
  const options = {
    namespace: 'kube-system',
    name: 'evenkeel-history',
    clock: new HastyClock(),
    random: () => 0,
    ...over,
  };
  return converse(replies, ({ call }) => use(configMapHistory(call, options)));
}

/** A request in one line; of a body the version it builds on, and the history in it. */
function said({ method, path, body }: Heard): string {
  if (body === undefined) return `${method} ${path}`;
  const { metadata, data } = body as { metadata: { resourceVersion?: string }; data: Record<string, string> };
  const on = metadata.resourceVersion === undefined ? '' : ` on ${metadata.resourceVersion}`;
  const ids = [...(data['history.json'] ?? '').matchAll(/"n1","([^"]+)"/gu)].map(([, id]) => id);
  return `${method} ${path}${on}: ${ids.join()}`;
}

describe('the history in a ConfigMap', () => {
  it('is empty where there is none, and is made with the first save', async () => {
    const { result, heard } = await talk([absent, { ...stored('1', textOf(a)), status: 201 }], async (history) => {
      return [await history.load(), await history.save(change(a))];
    });
    assert.deepEqual(result, [
      { ok: true, value: { state: EMPTY_HISTORY, warnings: [] } },
      { ok: true, value: [] },
    ]);
    assert.deepEqual(heard.map(said), [`GET ${PATH}`, `POST ${COLLECTION}: a`]);
    assert.deepEqual(heard[1]?.body, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'evenkeel-history',
        namespace: 'kube-system',
        labels: { 'app.kubernetes.io/managed-by': 'evenkeel' },
      },
      data: { 'history.json': textOf(a) },
    });
  });

  it('is what the last process has left: a CronJob, run by run', async () => {
    const first = await talk([absent, { ...stored('1', textOf(a)), status: 201 }], async (history) => {
      await history.load();
      return history.save(change(a));
    });
    const left = (first.heard[1]?.body as { data: Record<string, string> }).data['history.json'];
    const second = await talk([stored('1', left), stored('2', textOf(a, b))], async (history) => {
      const loaded = await history.load();
      await history.save(change(b));
      return loaded;
    });
    assert.deepEqual(second.result, { ok: true, value: { state: { evictions: [a], blocks: [] }, warnings: [] } });
    assert.deepEqual(second.heard.map(said), [`GET ${PATH}`, `PUT ${PATH} on 1: a,b`]);
  });

  it('builds one save on the answer to the last one', async () => {
    const replies = [stored('1', textOf(a)), stored('2', textOf(a, b)), stored('3', textOf(a, b, c))];
    const { heard } = await talk(replies, async (history) => {
      await history.load();
      await history.save(change(b));
      await history.save(change(c));
    });
    assert.deepEqual(heard.map(said), [`GET ${PATH}`, `PUT ${PATH} on 1: a,b`, `PUT ${PATH} on 2: a,b,c`]);
  });

  it('leaves alone what else is in the object', async () => {
    const { heard } = await talk(
      [stored('1', textOf(a), { other: 'x' }), stored('2', textOf(a, b))],
      async (history) => {
        await history.load();
        await history.save(change(b));
      },
    );
    assert.deepEqual(heard[1]?.body, {
      ...(stored('1', textOf(a, b), { other: 'x' }).body as object),
    });
  });

  it('adds to what another run has written in the meantime', async () => {
    const replies = [stored('1', textOf(a)), conflict, stored('2', textOf(a, b)), stored('3', textOf(a, b, c))];
    const { result, heard } = await talk(replies, async (history) => {
      await history.load();
      return history.save(change(c));
    });
    assert.deepEqual(result, { ok: true, value: [] });
    assert.deepEqual(heard.map(said), [
      `GET ${PATH}`,
      `PUT ${PATH} on 1: a,c`,
      `GET ${PATH}`,
      `PUT ${PATH} on 2: a,b,c`,
    ]);
  });

  it('enters nothing twice when the answer to a save got lost', async () => {
    const replies: readonly Reply[] = [
      stored('1', textOf(a)),
      { cut: 'at once' },
      conflict,
      stored('2', textOf(a, b)),
      stored('3', textOf(a, b)),
    ];
    const { heard } = await talk(replies, async (history) => {
      await history.load();
      return history.save(change(b));
    });
    assert.deepEqual(heard.slice(1).map(said), [
      `PUT ${PATH} on 1: a,b`,
      `PUT ${PATH} on 1: a,b`,
      `GET ${PATH}`,
      `PUT ${PATH} on 2: a,b`,
    ]);
  });

  it('is made by whoever is first; the other one adds to it', async () => {
    const exists = status(409, 'configmaps "evenkeel-history" already exists');
    const replies = [absent, exists, stored('1', textOf(a)), stored('2', textOf(a, b))];
    const { heard } = await talk(replies, async (history) => {
      await history.load();
      await history.save(change(b));
    });
    assert.deepEqual(heard.map(said), [`GET ${PATH}`, `POST ${COLLECTION}: b`, `GET ${PATH}`, `PUT ${PATH} on 1: a,b`]);
  });

  it('is made anew when somebody has deleted it', async () => {
    const replies = [stored('1', textOf(a)), absent, absent, { ...stored('9', textOf(b)), status: 201 }];
    const { result, heard } = await talk(replies, async (history) => {
      await history.load();
      return history.save(change(b));
    });
    assert.deepEqual(result, { ok: true, value: [] });
    assert.deepEqual(heard.map(said), [`GET ${PATH}`, `PUT ${PATH} on 1: a,b`, `GET ${PATH}`, `POST ${COLLECTION}: b`]);
  });

  it('forgets what no limit needs', async () => {
    const { heard } = await talk([stored('1', textOf(gone('old', 60), a)), stored('2', '')], async (history) => {
      await history.load();
      await history.save(change(b));
    });
    assert.equal(said(heard[1] as Heard), `PUT ${PATH} on 1: a,b`);
  });

  const NAME = 'the history in ConfigMap kube-system/evenkeel-history';
  const AFRESH = `${NAME}: its content cannot be read, so that limits start afresh: earlier evictions are not known`;
  for (const text of ['{"version":', '', '[]']) {
    it(`starts afresh where it holds ${JSON.stringify(text)}`, async () => {
      const { result, heard } = await talk([stored('1', text), stored('2', textOf(b))], async (history) => {
        const loaded = await history.load();
        await history.save(change(b));
        return loaded;
      });
      assert.deepEqual(result, { ok: true, value: { state: EMPTY_HISTORY, warnings: [AFRESH] } });
      assert.equal(said(heard[1] as Heard), `PUT ${PATH} on 1: b`);
    });
  }

  it('is empty in an object that somebody has prepared', async () => {
    const { result } = await talk([stored('1', undefined)], (history) => history.load());
    assert.deepEqual(result, { ok: true, value: { state: EMPTY_HISTORY, warnings: [] } });
  });

  it('says when it is full', async () => {
    const full = (history: History) => history.save(change(a, b, c));
    const { result, heard } = await talk([stored('1', undefined), stored('2', textOf(c))], full, { mostBytes: 120 });
    assert.deepEqual(result, {
      ok: true,
      value: [
        `${NAME} is full, so the oldest 2 evictions and 0 blocked pods no longer count: shorter windows or lower limits keep it small enough`,
      ],
    });
    assert.equal(said(heard[1] as Heard), `PUT ${PATH} on 1: c`);
  });

  const FORBIDDEN = 'configmaps "evenkeel-history" is forbidden';
  const GRANT = 'Grant get, update and create on configmaps in namespace kube-system (docs/limits.md)';
  const failures: readonly [string, 'load' | 'save', readonly Reply[], string, string][] = [
    [
      'it may not be read',
      'load',
      [status(403, FORBIDDEN)],
      'forbidden',
      `${NAME} could not be read: ${FORBIDDEN}. ${GRANT}`,
    ],
    [
      'it may not be written',
      'save',
      [stored('1', ''), status(403, FORBIDDEN)],
      'forbidden',
      `${NAME} could not be written: ${FORBIDDEN}. ${GRANT}`,
    ],
    [
      'its namespace is missing',
      'save',
      [absent, status(404, 'namespaces "kube-system" not found')],
      'not-found',
      `${NAME} could not be written: namespaces "kube-system" not found. Make the namespace kube-system first`,
    ],
    [
      'it is immutable',
      'save',
      [stored('1', ''), status(422, 'field is immutable when `immutable` is set')],
      'invalid',
      `${NAME} could not be written: field is immutable when \`immutable\` is set`,
    ],
    [
      'the server fails on and on',
      'load',
      Array.from({ length: 60 }, () => status(500, 'etcd has no leader')),
      'transient',
      `${NAME} could not be read: etcd has no leader`,
    ],
    [
      'the answer is no object',
      'load',
      Array.from({ length: 60 }, () => ({ body: 'ok' })),
      'transient',
      `${NAME} could not be read: the answer is not a ConfigMap`,
    ],
  ];
  for (const [row, call, replies, kind, message] of failures) {
    it(`fails in words: ${row}`, async () => {
      const { result } = await talk(replies, async (history) =>
        call === 'load' ? history.load() : history.save(change(a)),
      );
      assert.deepEqual(result.ok ? undefined : [result.failure.kind, result.failure.message], [kind, message]);
    });
  }

  it('gives up when others never stop writing', async () => {
    const rounds = Array.from({ length: 60 }, () => [stored('1', textOf(a)), conflict]).flat();
    const { result } = await talk(rounds, (history) => history.save(change(b)));
    assert.match(result.ok ? '' : result.failure.message, /give every policy a ConfigMap of its own$/u);
  });

  it('reads again after faults that pass', async () => {
    const { result } = await talk([status(503, 'starting'), { cut: 'at once' }, stored('1', textOf(a))], (history) =>
      history.load(),
    );
    assert.deepEqual(result.ok && result.value.state.evictions, [a]);
  });

  it('stops reading when the run is ended', async () => {
    const { result } = await talk([{ hang: 'at once' }], (history) => history.load(AbortSignal.timeout(20)));
    assert.equal(result.ok ? '' : result.failure.kind, 'aborted');
  });
});
