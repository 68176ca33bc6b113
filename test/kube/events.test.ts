import assert from 'node:assert/strict';
import { createEventWriter, eventOf } from '../../src/kube/write/events.ts';
import type { Eviction } from '../../src/outcomes/outcome.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import * as given from '../builders/cluster.ts';
import { converse, HastyClock, status } from './conversation.ts';

const pod = given.pod('web-1', given.namespace('shop'), given.on('n1'));
const regarding = { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: pod.uid };
const eviction: Eviction = {
  kind: 'eviction',
  profile: 'main',
  strategy: 'RemoveDuplicates',
  pod,
  reason: 'is one of 3 pods',
  destinations: 1,
  likelyNodes: ['n2'],
  result: 'evicted',
};
const NOTE = 'pod eviction from n1 node by sigs.k8s.io/descheduler';

describe('the event of an eviction', () => {
  const rows: readonly (readonly [string, Partial<Eviction>, boolean, object | undefined])[] = [
    [
      'framework V2 evicted',
      {},
      false,
      {
        type: 'Normal',
        reason: 'RemoveDuplicates',
        note: `${NOTE}: is one of 3 pods`,
        action: 'Descheduled',
        regarding,
      },
    ],
    [
      'handed to another actor',
      { result: 'requested' },
      false,
      {
        type: 'Normal',
        reason: 'RemoveDuplicates',
        note: `${NOTE}: is one of 3 pods`,
        action: 'Descheduled',
        regarding,
      },
    ],
    [
      'framework V4 failed, and the policy asks for these',
      { result: 'refused-by-budget', error: 'the budget says no' },
      true,
      {
        type: 'Warning',
        reason: 'EvictionFailed',
        note: `${NOTE} failed: the budget says no`,
        action: 'Descheduled',
        regarding,
      },
    ],
    ['framework V6 failed', { result: 'refused-by-budget', error: 'no' }, false, undefined],
    ['framework V5 of a dry run', { result: 'would-evict' }, true, undefined],
  ];
  for (const [row, parts, notify, expected] of rows) {
    it(row, () => assert.deepEqual(eventOf({ ...eviction, ...parts }, notify), expected));
  }
});

describe('writing events', () => {
  it('sends them to events.k8s.io, each under a name of its own', async () => {
    const clock = new VirtualClock(Date.parse('2026-01-15T09:00:00.250Z'));
    const { heard } = await converse([{ status: 201 }, { status: 201 }], async ({ call }) => {
      const writer = createEventWriter(call, { clock, instance: 'host-1' });
      const event = eventOf(eviction, false);
      assert.ok(event);
      writer.write(event);
      writer.write(event);
      await writer.flush(1_000);
      assert.equal(writer.dropped(), 0);
    });
    const bodies = heard.map(({ body }) => body as { metadata: { name: string } });
    assert.deepEqual(bodies[0], {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'web-1.19bc0e2137a0000', namespace: 'shop' },
      eventTime: '2026-01-15T09:00:00.250000Z',
      reportingController: 'evenkeel-descheduler',
      reportingInstance: 'host-1',
      type: 'Normal',
      reason: 'RemoveDuplicates',
      action: 'Descheduled',
      note: `${NOTE}: is one of 3 pods`,
      regarding: { apiVersion: 'v1', ...regarding },
    });
    assert.equal(heard[0]?.path, '/apis/events.k8s.io/v1/namespaces/shop/events');
    assert.notEqual(bodies[0].metadata.name, bodies[1]?.metadata.name);
  });

  it('never fails: what cannot be written is counted', async () => {
    const replies = [status(403, 'no'), status(500, 'no'), { cut: 'at once' as const }, { status: 201 }];
    const { result } = await converse(replies, async ({ call }) => {
      const writer = createEventWriter(call, { clock: new VirtualClock(0), instance: 'host' });
      replies.forEach(() => writer.write(eventOf(eviction, false)!));
      await writer.flush(1_000);
      return writer.dropped();
    });
    assert.equal(result, 3);
  });

  it('writes together what has come in five seconds, with the time at which each happened', async () => {
    const clock = new VirtualClock(0);
    const { heard } = await converse(
      Array.from({ length: 3 }, () => ({ status: 201 })),
      async ({ call }, { heard: sofar }) => {
        const writer = createEventWriter(call, { clock, instance: 'host' });
        for (const at of [0, 4_000, 6_000]) {
          await clock.advanceTo(at);
          writer.write(eventOf(eviction, false)!);
          while (sofar.length < (at > 5_000 ? 2 : 0)) await new Promise((resolve) => setImmediate(resolve));
          assert.equal(sofar.length, at > 5_000 ? 2 : 0);
        }
        await writer.flush(1_000);
      },
    );
    assert.deepEqual(
      heard.map(({ body }) => (body as { eventTime: string }).eventTime.slice(17)),
      ['00.000000Z', '04.000000Z', '06.000000Z'],
    );
  });

  it('never keeps anybody waiting: at most five thousand are kept, and the end waits only so long', async () => {
    const { result, heard } = await converse([{ hang: 'at once' }], async ({ call }, conversation) => {
      const clock = new VirtualClock(0);
      const writer = createEventWriter(call, { clock, instance: 'host' });
      for (let count = 0; count < 5_006; count++) writer.write(eventOf(eviction, false)!);
      const flushed = writer.flush(5_000);
      while (conversation.heard.length < 1) await new Promise((resolve) => setImmediate(resolve));
      await clock.advanceTo(5_000);
      await flushed;
      return writer.dropped();
    });
    assert.deepEqual([result, heard.length], [6, 1]);
  });

  it('waits while the server fails, asks with one event whether it is back, and writes each once', async () => {
    const replies = [...Array.from({ length: 3 }, () => status(503, 'no')), { status: 201 }, status(409, 'exists')];
    const { result, heard } = await converse(
      [...replies, ...Array.from({ length: 9 }, () => ({ status: 201 }))],
      async ({ call }, { heard: sofar }) => {
        const clock = new HastyClock();
        const writer = createEventWriter(call, { clock, instance: 'host', random: () => 0 });
        for (let count = 0; count < 6; count++) writer.write(eventOf(eviction, false)!);
        while (sofar.length < 9) await new Promise((resolve) => setImmediate(resolve));
        await writer.flush(1_000);
        return { dropped: writer.dropped(), waits: clock.waits };
      },
    );
    assert.deepEqual(result.dropped, 0);
    assert.deepEqual(result.waits.slice(0, 4), [5_000, 5_000, 10_000, 20_000]);
    const names = heard.map(({ body }) => (body as { metadata: { name: string } }).metadata.name);
    // The first one four times.
    assert.deepEqual([names.length, new Set(names).size], [9, 6]);
    assert.deepEqual(new Set(names.slice(0, 4)).size, 1);
  });

  it('cuts what the API server would refuse', async () => {
    const long = given.pod(`${'a'.repeat(199)}-${'b'.repeat(40)}`, given.on('n1'));
    const { heard } = await converse([{ status: 201 }], async ({ call }) => {
      const writer = createEventWriter(call, { clock: new VirtualClock(0), instance: 'h'.repeat(200) });
      writer.write(eventOf({ ...eviction, pod: long, reason: 'r'.repeat(2_000) }, false)!);
      await writer.flush(1_000);
    });
    const body = heard[0]?.body as { metadata: { name: string }; note: string; reportingInstance: string };
    assert.equal(body.metadata.name, `${'a'.repeat(199)}.00000`);
    assert.deepEqual([body.note.length, body.reportingInstance.length], [1024, 128]);
  });
});
