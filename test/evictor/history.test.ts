import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  changed,
  EMPTY_HISTORY,
  memoryHistory,
  noHistory,
  pruned,
  type HistoryEvent,
  type HistoryState,
  type PastEviction,
} from '../../src/evictor/limits/history.ts';
import { readHistory, writeHistory } from '../../src/evictor/limits/history-text.ts';
import type { Retention } from '../../src/evictor/limits/limits.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.parse('2026-01-02T12:00:00Z');
const hour: Retention = { windowMs: HOUR, cooldown: undefined, blockMs: 2 * HOUR };

const gone = (id: string, minutesAgo: number, owner = 'Deployment/web'): PastEviction => {
  return { at: NOW - minutesAgo * MINUTE, namespace: 'shop', owner, node: 'n1', id };
};
const evicted = (id: string, minutesAgo: number): HistoryEvent => ({ kind: 'evicted', ...gone(id, minutesAgo) });
const ids = ({ evictions }: HistoryState) => evictions.map(({ id }) => id);

interface Row {
  readonly row: string;
  readonly before?: Partial<HistoryState>;
  readonly events: readonly HistoryEvent[];
  readonly retention?: Retention;
  readonly after: Partial<HistoryState>;
}

const rows: readonly Row[] = [
  {
    row: 'an eviction is added, by time',
    before: { evictions: [gone('b', 5)] },
    events: [evicted('a', 7)],
    after: { evictions: [gone('a', 7), gone('b', 5)] },
  },
  {
    row: 'twice the same eviction is one',
    events: [evicted('a', 7), evicted('a', 7)],
    after: { evictions: [gone('a', 7)] },
  },
  {
    row: 'the last time that is said counts',
    before: { evictions: [gone('a', 7)] },
    events: [evicted('a', 6), evicted('a', 8)],
    after: { evictions: [gone('a', 8)] },
  },
  {
    row: 'an eviction that failed goes',
    before: { evictions: [gone('a', 7)] },
    events: [
      { kind: 'reverted', id: 'a' },
      { kind: 'reverted', id: 'unknown' },
    ],
    after: {},
  },
  {
    row: 'what has left the longest window goes',
    before: { evictions: [gone('old', 60), gone('young', 59)] },
    events: [],
    after: { evictions: [gone('young', 59)] },
  },
  { row: 'without windows nothing stays', retention: { ...hour, windowMs: 0 }, events: [evicted('a', 0)], after: {} },
  {
    row: 'evictions of a row that goes on stay as long as they make pauses longer',
    before: { evictions: [gone('1', 300), gone('2', 240), gone('3', 200), gone('4', 130), gone('5', 90)] },
    events: [],
    // From 15m to 1h pauses take 3 steps.
    retention: { windowMs: 0, cooldown: { baseMs: 15 * MINUTE, maxMs: HOUR }, blockMs: 0 },
    after: { evictions: [gone('3', 200), gone('4', 130), gone('5', 90)] },
  },
  {
    row: 'a row that is over goes',
    before: { evictions: [gone('1', 140), gone('2', 121)] },
    events: [],
    retention: { windowMs: 0, cooldown: { baseMs: 15 * MINUTE, maxMs: HOUR }, blockMs: 0 },
    after: {},
  },
  {
    row: 'rows are counted by owner',
    before: { evictions: [gone('1', 130, 'Deployment/a'), gone('2', 100, 'Deployment/b')] },
    events: [],
    retention: { windowMs: 0, cooldown: { baseMs: HOUR, maxMs: HOUR }, blockMs: 0 },
    after: { evictions: [gone('2', 100, 'Deployment/b')] },
  },
  {
    row: 'a first block',
    events: [{ kind: 'blocked', uid: 'a', at: NOW }],
    after: { blocks: [{ uid: 'a', count: 1, at: NOW }] },
  },
  {
    row: 'blocked again',
    before: { blocks: [{ uid: 'a', count: 2, at: NOW - HOUR }] },
    events: [{ kind: 'blocked', uid: 'a', at: NOW }],
    after: { blocks: [{ uid: 'a', count: 3, at: NOW }] },
  },
  {
    row: 'the same block twice is one',
    before: { blocks: [{ uid: 'a', count: 2, at: NOW }] },
    events: [{ kind: 'blocked', uid: 'a', at: NOW }],
    after: { blocks: [{ uid: 'a', count: 2, at: NOW }] },
  },
  {
    row: 'a block that is over begins anew',
    before: { blocks: [{ uid: 'a', count: 9, at: NOW - 2 * HOUR - 1 }] },
    events: [{ kind: 'blocked', uid: 'a', at: NOW }],
    after: { blocks: [{ uid: 'a', count: 1, at: NOW }] },
  },
  {
    row: 'a block that is over goes',
    before: { blocks: [{ uid: 'a', count: 9, at: NOW - 2 * HOUR }] },
    events: [],
    after: {},
  },
  {
    row: 'a clock that runs a little ahead is believed',
    before: { evictions: [gone('a', -30)] },
    events: [],
    after: { evictions: [gone('a', -30)] },
  },
  {
    row: 'one that runs far ahead is not',
    before: { evictions: [gone('a', -6000)] },
    events: [],
    after: { evictions: [gone('a', 0)] },
  },
];

describe('history', () => {
  for (const { row, before, events, retention = hour, after } of rows) {
    it(row, () => {
      const state = changed({ ...EMPTY_HISTORY, ...before }, { events, retention, now: NOW });
      assert.deepEqual(state, { ...EMPTY_HISTORY, ...after });
    });
  }

  const ago = fc.integer({ min: 0, max: 50 });
  const event: fc.Arbitrary<HistoryEvent> = fc.oneof(
    fc.tuple(fc.constantFrom('a', 'b', 'c'), ago).map(([uid, minutes]) => evicted(uid, minutes)),
    fc
      .tuple(fc.constantFrom('a', 'b'), ago)
      .map(([uid, minutes]) => ({ kind: 'blocked' as const, uid, at: NOW - minutes })),
  );

  it('a change applied twice is a change applied once, so that a save may be repeated', () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(event), (earlier, events) => {
        // A block is known by its time: later ones of the same pod come later.
        const inOrder = events.toSorted((x, y) => timeOf(x) - timeOf(y));
        const before = changed(EMPTY_HISTORY, { events: earlier, retention: hour, now: NOW });
        const once = changed(before, { events: inOrder, retention: hour, now: NOW });
        assert.deepEqual(changed(once, { events: inOrder, retention: hour, now: NOW }), once);
      }),
    );
  });

  it('evictions of two writers end up the same, whichever was first', () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(event), (one, two) => {
        const [ours, theirs] = [one, two].map((events, writer) =>
          events.flatMap((event) => (event.kind === 'evicted' ? [{ ...event, id: `${event.id}@${writer}` }] : [])),
        );
        const after = (...changes: readonly (readonly HistoryEvent[] | undefined)[]) =>
          changes.reduce<HistoryState>(
            (state, events = []) => changed(state, { events, retention: hour, now: NOW }),
            EMPTY_HISTORY,
          );
        assert.deepEqual(after(ours, theirs), after(theirs, ours));
      }),
    );
  });

  it('in memory it lasts from one cycle to the next', async () => {
    const history = memoryHistory();
    await history.save({ events: [evicted('a', 3)], retention: hour, now: NOW });
    await history.save({ events: [evicted('b', 2)], retention: hour, now: NOW });
    const loaded = await history.load();
    assert.deepEqual(loaded.ok && ids(loaded.value.state), ['a', 'b']);
  });

  it('none remembers nothing, and says so', async () => {
    const history = noHistory('nothing is kept');
    await history.save({ events: [evicted('a', 3)], retention: hour, now: NOW });
    assert.deepEqual(await history.load(), {
      ok: true,
      value: { state: EMPTY_HISTORY, warnings: ['nothing is kept'] },
    });
  });

  it('forgetting never changes what limits see', () => {
    const moments = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 12 });
    fc.assert(
      fc.property(moments, (minutesAgo) => {
        const cooldown = { baseMs: 15 * MINUTE, maxMs: HOUR };
        const evictions = minutesAgo.map((minutes, i) => gone(`${i}`, minutes));
        const kept = pruned({ evictions, blocks: [] }, { ...hour, cooldown }, NOW);
        assert.deepEqual(pruned(kept, { ...hour, cooldown }, NOW), kept);
        assert.deepEqual(
          ids(kept).filter((uid) => minutesAgo[Number(uid)] !== undefined && (minutesAgo[Number(uid)] ?? 0) < 60)
            .length,
          minutesAgo.filter((minutes) => minutes < 60).length,
        );
      }),
    );
  });
});

function timeOf(event: HistoryEvent): number {
  return event.kind === 'reverted' ? 0 : event.at;
}

describe('history as text', () => {
  const state: HistoryState = {
    evictions: [gone('a', 7), gone('b', 5, 'CronJob/report')],
    blocks: [
      { uid: 'c', count: 3, at: NOW },
      { uid: 'd', count: 1, at: NOW - MINUTE },
    ],
  };

  it('has an entry a line', () => {
    assert.deepEqual(writeHistory(state, 10_000), {
      text: [
        '{"version":1,',
        '"evictions":[',
        '["2026-01-02T11:53:00.000Z","shop","Deployment/web","n1","a"],',
        '["2026-01-02T11:55:00.000Z","shop","CronJob/report","n1","b"]',
        '],',
        '"blocks":[',
        '["2026-01-02T11:59:00.000Z",1,"d"],',
        '["2026-01-02T12:00:00.000Z",3,"c"]',
        ']}',
        '',
      ].join('\n'),
      lostEvictions: 0,
      lostBlocks: 0,
    });
  });

  it('comes back as it was', () => {
    const byUid = { ...state, blocks: state.blocks.toSorted((x, y) => x.at - y.at) };
    assert.deepEqual(readHistory(writeHistory(state, 10_000).text), { state: byUid, warnings: [] });
    assert.deepEqual(readHistory(writeHistory(EMPTY_HISTORY, 10_000).text), { state: EMPTY_HISTORY, warnings: [] });
  });

  it('loses the oldest blocks first, then the oldest evictions, where room is short', () => {
    const lossAt = (bytes: number) => {
      const { text, lostEvictions, lostBlocks } = writeHistory(state, bytes);
      assert.ok(Buffer.byteLength(text) <= bytes, `${Buffer.byteLength(text)} of ${bytes}`);
      const read = readHistory(text);
      return [lostEvictions, lostBlocks, ids(read.state).join(), read.state.blocks.map(({ uid }) => uid).join()];
    };
    assert.deepEqual(lossAt(260), [0, 0, 'a,b', 'd,c']);
    assert.deepEqual(lossAt(230), [0, 1, 'a,b', 'c']);
    assert.deepEqual(lossAt(190), [0, 2, 'a,b', '']);
    assert.deepEqual(lossAt(140), [1, 2, 'b', '']);
    assert.deepEqual(lossAt(60), [2, 2, '', '']);
  });

  it('stays below any size with any number of entries', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 5000 }), fc.integer({ min: 0, max: 60 }), (bytes, count) => {
        const evictions = Array.from({ length: count }, (_, i) => gone(`uid-${i}-ü`, count - i));
        assert.ok(Buffer.byteLength(writeHistory({ evictions, blocks: [] }, bytes).text) <= bytes);
      }),
    );
  });

  const AFRESH = 'its content cannot be read, so that limits start afresh: earlier evictions are not known';
  const unreadable: readonly [string, string][] = [
    ['nothing', ''],
    ['no JSON', '{"version":1'],
    ['another shape', '[1,2]'],
    ['null', 'null'],
    ['a later version', '{"version":2,"evictions":[],"blocks":[]}'],
  ];
  for (const [row, text] of unreadable) {
    it(`starts afresh from ${row}`, () => {
      assert.deepEqual(readHistory(text), { state: EMPTY_HISTORY, warnings: [AFRESH] });
    });
  }

  it('leaves out entries that it cannot read', () => {
    const entries =
      '["2026-01-02T11:53:00.000Z","shop","Deployment/web","n1","a"],["soon","shop","x","y","z"],[1],7,null';
    const text = `{"version":1,"evictions":[${entries}],"blocks":[["2026-01-02T11:53:00.000Z",-1,"a"]]}`;
    assert.deepEqual(readHistory(text), {
      state: { evictions: [gone('a', 7)], blocks: [] },
      warnings: ['5 of its 6 entries cannot be read and do not count'],
    });
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        assert.ok(readHistory(text).warnings.length > 0);
      }),
    );
  });
});
