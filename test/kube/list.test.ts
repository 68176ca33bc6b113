import assert from 'node:assert/strict';
import { FieldReader } from '../../src/cluster/bytes/decode-bytes.ts';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import { listAll, type ListOptions } from '../../src/kube/watch/list.ts';
import { decodedPages, parsedPages } from '../../src/kube/watch/page.ts';
import { converse, HastyClock, page, status, type Reply } from './conversation.ts';

const pod = (name: string) => ({ metadata: { name, namespace: 'd', uid: `uid-${name}` } });
const PODS = '/api/v1/pods?limit=500';

describe('listing', () => {
  it('follows the pages and decodes each', async () => {
    const { names, paths, progress, version } = await list([
      page([pod('a'), pod('b')], { continue: 'q=/1', remainingItemCount: 2 }),
      page([pod('c')], { continue: 'w', resourceVersion: '7' }),
      page([pod('d')], { resourceVersion: '9' }),
    ]);
    assert.deepEqual(names, ['a', 'b', 'c', 'd']);
    assert.deepEqual(paths, [PODS, `${PODS}&continue=q%3D%2F1`, `${PODS}&continue=w`]);
    assert.deepEqual(progress, [
      [2, 2],
      [3, undefined],
      [4, undefined],
    ]);
    assert.equal(version, '9');
  });

  it('uses one connection for all pages', async () => {
    const pages = ['b', 'c', 'd', ''].map((next) => page([pod(`to-${next}`)], next === '' ? {} : { continue: next }));
    const { connections } = await list(pages);
    assert.equal(connections, 1);
  });

  const empty: readonly (readonly [string, unknown])[] = [
    ['no items', { metadata: {} }],
    ['items null', { metadata: {}, items: null }],
    ['items empty', { metadata: {}, items: [] }],
  ];
  for (const [row, body] of empty) it(row, async () => assert.deepEqual((await list([{ body }])).names, []));

  it('takes metadata behind the items, too', async () => {
    const body = { items: [pod('a')], metadata: { continue: 'x' } };
    const { names } = await list([{ body }, page([pod('b')])]);
    assert.deepEqual(names, ['a', 'b']);
  });

  it('leaves out objects without a name', async () => {
    assert.deepEqual((await list([page([{ metadata: {} }, pod('a'), {}])])).names, ['a']);
  });

  const passing: readonly (readonly [string, Reply, readonly number[]])[] = [
    ['a page cut in the middle', { ...page([pod('b')]), cut: 40 }, [250]],
    ['a connection cut before the answer', { cut: 'at once' }, [250]],
    ['a server that fails', status(500, 'etcdserver: leader changed'), [250]],
    ['a server that is too busy, with a time', { ...status(429, 'busy'), headers: { 'retry-after': '4' } }, [4_000]],
    ['an answer that does not come', { hang: 'at once' }, [250]],
    ['an answer that stops coming', { ...page([pod('b')]), hang: 'after head' }, [250]],
    ['garbage instead of a page', { body: '{"metadata":{}, oops' }, [250]],
  ];
  for (const [row, reply, waits] of passing) {
    it(`${row}: only that page is asked for again`, async () => {
      const replies = [page([pod('a')], { continue: 'x' }), reply, page([pod('b')])];
      const listed = await list(replies, { timeoutMs: reply.hang ? 100 : 5_000 });
      assert.deepEqual(listed.names, ['a', 'b']);
      assert.deepEqual(listed.paths, [PODS, `${PODS}&continue=x`, `${PODS}&continue=x`]);
      assert.deepEqual(listed.waits, waits);
    });
  }

  it('a token that has expired (410) starts the list again, and nothing is there twice', async () => {
    const listed = await list([
      page([pod('a'), pod('gone')], { continue: 'x' }),
      status(410, 'The provided continue parameter is too old'),
      page([pod('a')], { continue: 'y' }),
      page([pod('b')]),
    ]);
    assert.deepEqual(listed.names, ['a', 'b']);
    assert.deepEqual(listed.paths, [PODS, `${PODS}&continue=x`, PODS, `${PODS}&continue=y`]);
  });

  it('a page that is damaged in its middle starts the list again', async () => {
    const body = '{"metadata":{},"items":[{"metadata":{"name":"b"}},#]}';
    const listed = await list([page([pod('a')], { continue: 'x' }), { body }, page([pod('c')])]);
    assert.deepEqual(listed.names, ['c']);
  });

  it('a list whose tokens always expire is given up', async () => {
    const start = [page([pod('a')], { continue: 'x' }), status(410, 'too old')];
    const listed = await list([...start, ...start, ...start, ...start, ...start]);
    assert.deepEqual([listed.failure, listed.paths.length], ['gone: too old', 8]);
    assert.deepEqual(listed.waits, [1_000, 2_000, 4_000]);
  });

  for (const circle of [
    ['x', 'x'],
    ['x', 'y', 'x'],
    ['x', 'y', 'z', 'y'],
  ]) {
    it(`continue tokens in a circle (${circle.join(', ')}) end the list`, async () => {
      const pages = circle.map((token, i) => page([pod(`p${i}`)], { continue: token }));
      const listed = await list([...pages, ...pages, ...pages]);
      assert.match(
        listed.failure ?? '',
        /^invalid: the server answers with a continue token that it has given before/u,
      );
      assert.equal(listed.paths.length, circle.length);
    });
  }

  it('a server that keeps failing is given up after a minute', async () => {
    const listed = await list(Array.from({ length: 40 }, () => status(503, 'starting')));
    assert.equal(listed.failure, 'transient: starting');
    assert.deepEqual(listed.waits.slice(0, 6), [250, 500, 1000, 2000, 4000, 8000]);
    const waited = listed.waits.reduce((sum, ms) => sum + ms, 0);
    assert.ok(waited > 50_000 && waited <= 60_000, `${waited}`);
  });

  const final: readonly (readonly [string, Reply, string])[] = [
    ['403', status(403, 'pods is forbidden'), 'forbidden: pods is forbidden'],
    ['404', status(404, 'not found'), 'not-found: not found'],
    ['422', status(422, 'bad limit'), 'invalid: bad limit'],
    ['a web page', { body: '<html>welcome</html>' }, 'invalid: the answer is not a Kubernetes list'],
    ['JSON that is no list', { body: ['hello'] }, 'invalid: the answer is not a Kubernetes list'],
    ['JSON without metadata', { body: { items: [] } }, 'invalid: the answer is not a Kubernetes list'],
  ];
  for (const [row, reply, failure] of final) {
    it(`${row} is not asked again`, async () => {
      const listed = await list([reply]);
      assert.deepEqual([listed.failure, listed.waits], [failure, []]);
    });
  }

  it('ends when the signal comes, during a wait too', async () => {
    const stop = new AbortController();
    const clock = new HastyClock();
    clock.schedule = () => {
      setImmediate(() => stop.abort());
      return () => undefined;
    };
    const listed = await list([status(500, 'no')], { clock, signal: stop.signal });
    assert.equal(listed.failure, 'aborted: given up');
  });

  it('ends when the signal comes while an answer is awaited', async () => {
    const stop = new AbortController();
    const { result } = await converse([{ hang: 'at once' }], async ({ call }, { heard }) => {
      const options = { clock: new HastyClock(), signal: stop.signal };
      const answer = listAll(call, { path: '/api/v1/pods', open: parsedPages }, options);
      while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      return answer;
    });
    assert.equal(result.ok ? '' : result.failure.kind, 'aborted');
  });
});

describe('pages that are parsed as they are', () => {
  const rows: readonly (readonly [string, string, unknown])[] = [
    ['a page', '{"metadata":{"continue":"c","remainingItemCount":3},"items":[1]}', [['c', '', 3], [1]]],
    ['items null', '{"metadata":{},"items":null}', [['', '', undefined], []]],
    ['garbage', '{', 'transient'],
    ['no list', '"text"', 'invalid'],
    ['null', 'null', 'invalid'],
    ['items that are no array', '{"metadata":{},"items":{}}', 'invalid'],
  ];
  for (const [row, text, expected] of rows) {
    it(row, () => {
      const opened = parsedPages(Buffer.from(text));
      if (!opened.ok) assert.equal(opened.failure.kind, expected);
      else {
        const { head, items } = opened.value;
        const listed = items();
        assert.deepEqual([[head.next, head.resourceVersion, head.remaining], listed.ok && listed.value], expected);
      }
    });
  }
});

async function list(replies: readonly Reply[], options: Partial<ListOptions> & { clock?: HastyClock } = {}) {
  const clock = options.clock ?? new HastyClock();
  const progress: unknown[] = [];
  const decoder = new Decoder();
  const target = { path: '/api/v1/pods', open: decodedPages('Pod', decoder, new FieldReader(decoder.interner)) };
  const { result, heard, connections } = await converse(replies, ({ call }) =>
    listAll(call, target, { ...options, clock, random: () => 0, onProgress: (...told) => void progress.push(told) }),
  );
  return {
    names: result.ok ? result.value.items.map(({ object }) => ('name' in object ? object.name : '')) : [],
    version: result.ok ? result.value.resourceVersion : undefined,
    failure: result.ok ? undefined : `${result.failure.kind}: ${result.failure.message}`,
    paths: heard.map(({ path }) => path),
    progress,
    connections,
    waits: clock.waits,
  };
}
