import assert from 'node:assert/strict';
import { ClusterStore } from '../../src/cluster/store.ts';
import { send } from '../../src/kube/http/call.ts';
import { createEvict } from '../../src/kube/write/evict.ts';
import { configMapHistory } from '../../src/kube/write/history-config-map.ts';
import { ListWatch } from '../../src/kube/watch/list-watch.ts';
import { listAll } from '../../src/kube/watch/list.ts';
import { parsedPages } from '../../src/kube/watch/page.ts';
import { limitRate } from '../../src/kube/http/rate-limit.ts';
import * as given from '../builders/cluster.ts';
import { status, type Reply, type Script } from './conversation.ts';
import { inVirtualMinutes, type Talker } from './virtual-minutes.ts';

const STEPS = [12_000, 3_600_000, 86_400_000].flatMap((ms) => [ms, -ms]);
const always = (reply: Reply) => Array.from({ length: 100 }, () => reply);
const random = () => 1;
const pod = { ...given.pod('p', given.on('n')), uid: 'u' };
const request = { pod, profile: 'main', strategy: 'S', reason: 'is old', gracePeriodSeconds: undefined };

interface Row {
  readonly row: string;
  readonly script: Script;
  readonly talk: (talker: Talker) => Promise<unknown>;
}

const rows: readonly Row[] = [
  {
    row: 'the back-off of a list',
    script: always(status(503, 'no')),
    talk: ({ server, clock, signal }) =>
      listAll(server.call, { path: '/pods', open: parsedPages }, { clock, random, signal }),
  },
  {
    row: 'the back-off of a watch',
    script: always(status(503, 'no')),
    async talk({ server, clock, signal }) {
      const store = new ClusterStore();
      const watch = new ListWatch({ kind: 'Pod', path: '/pods', call: server.call, store, clock, random });
      watch.start();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await watch.stop();
    },
  },
  {
    row: 'the back-off of an eviction',
    script: always(status(503, 'no')),
    talk: ({ server, clock, signal }) => createEvict(server.call, { clock, random })(request, signal),
  },
  {
    row: 'the back-off of a history',
    script: always(status(503, 'no')),
    talk: ({ server, clock, signal }) =>
      configMapHistory(server.call, { namespace: 'n', name: 'h', clock, random }).load(signal),
  },
  {
    row: 'the time-out of an answer that does not come',
    script: always({ hang: 'at once' }),
    async talk({ server, signal }) {
      while (!signal.aborted) await send(server.call, { method: 'GET', path: '/x', timeoutMs: 7_000, signal });
    },
  },
  {
    row: 'the time-out of an answer that stops coming',
    script: always({ hang: 'after head', body: 'abc' }),
    async talk({ server, signal }) {
      while (!signal.aborted) await send(server.call, { method: 'GET', path: '/x', timeoutMs: 7_000, signal });
    },
  },
  {
    row: 'the rate of requests',
    script: always({}),
    async talk({ server, clock, signal }) {
      const call = limitRate({ qps: 0.4, burst: 2 }, clock)(server.call);
      while (!signal.aborted) await send(call, { method: 'GET', path: '/x', signal });
    },
  },
];

describe('a clock that is set again and again', () => {
  for (const { row, script, talk } of rows) {
    it(`moves not: ${row}`, async function () {
      this.timeout(20_000);
      const expected = await inVirtualMinutes(script, talk);
      assert.ok(expected.length >= 5, expected.join());
      for (const stepMs of STEPS) {
        assert.deepEqual(await inVirtualMinutes(script, talk, { stepMs }), expected, `steps of ${stepMs} ms`);
      }
    });
  }
});
