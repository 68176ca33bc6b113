import assert from 'node:assert/strict';
import { sampleMetrics } from '../../src/cli/run/sample-metrics.ts';
import { page, status, type Reply } from '../kube/conversation.ts';
import { inVirtualMinutes } from '../kube/virtual-minutes.ts';

const metrics = (cpu: string): Reply => page([{ metadata: { name: 'n1' }, usage: { cpu, memory: '1Gi' } }]);

async function sampled(replies: readonly Reply[], isWanted = true) {
  const [taken, warned]: [number[], string[]] = [[], []];
  const asked = await inVirtualMinutes(replies, ({ server, clock, signal }) =>
    sampleMetrics(
      {
        ...{ server, clock, wanted: () => isWanted, warn: (message) => void warned.push(message) },
        sample: (nodes) => void taken.push(nodes[0]?.usage['cpu'] ?? -1),
      },
      signal,
    ),
  );
  return { asked: asked.length, taken, warned };
}

describe('sampling usage beside the cycles', () => {
  it('takes a sample every 15 s', async () => {
    const { asked, taken, warned } = await sampled(['1', '2', '3', '4', '5'].map(metrics));
    assert.deepEqual([taken.slice(0, 3), warned], [[1000, 2000, 3000], []]);
    assert.ok(asked >= 3 && asked <= 4, `${asked}`);
  });

  it('asks nobody where no policy wants it', async () => {
    assert.deepEqual(await sampled([metrics('1')], false), { asked: 0, taken: [], warned: [] });
  });

  it('says once that it may not, and goes on when it may', async () => {
    const no = status(403, 'nodes.metrics.k8s.io is forbidden');
    const { taken, warned } = await sampled([no, no, metrics('3'), metrics('4')]);
    assert.equal(taken[0], 3000);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', /^sampling usage: NodeMetrics may not be listed: .*; trying again$/u);
  });
});
