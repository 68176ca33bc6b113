import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryHistory } from '../../src/evictor/limits/history.ts';
import { pauseMs } from '../../src/evictor/limits/backoff.ts';
import { spanText } from '../../src/evictor/limits/limit-words.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import * as given from '../builders/cluster.ts';
import { workload } from '../builders/workload.ts';
import { cycle, evictsAll, policy, profile } from './policies.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8');
const START = Date.parse('2026-01-02T12:00:00Z');
const MINUTE = 60_000;

describe('the example of docs/limits.md', () => {
  const [, text = ''] = /```yaml\n(apiVersion: descheduler.*?)```/su.exec(page) ?? [];
  const rows = [...page.matchAll(/^\| (1\d:\d\d) \| (.*?) *\|$/gmu)].map(([, time = '', said = '']) => [time, said]);

  it('happens as it is told', async () => {
    const told = new Map(rows.map(([time = '', said = '']) => [time, said]));
    const happened = new Map<string, string>();
    const history = memoryHistory();
    for (let minute = 0; minute <= 100; minute += 10) {
      const time = new Date(START + minute * MINUTE).toISOString();
      const said = await run(time, history);
      const clock = time.slice(11, 16);
      if (told.has(clock) || said.went > 0) happened.set(clock, story(said, told.get(clock) ?? ''));
    }
    assert.deepEqual([...happened], [...told]);
  });

  /** What the page says of that time, if it is true; else what is. */
  function story({ went, why, times }: Awaited<ReturnType<typeof run>>, told: string): string {
    const pause = spanText(pauseMs({ baseMs: 10 * MINUTE, maxMs: 360 * MINUTE }, times));
    const lead = went === 1 ? 'one pod goes; ' : 'all ';
    const candidates = [`${lead}the pause is ${pause} now`, `${lead}${went === 1 ? 'the others ' : ''}${why}`];
    return candidates.find((one) => one.startsWith(told) && told !== '') === undefined ? candidates.join(' / ') : told;
  }

  let times = 0;
  async function run(now: string, history: ReturnType<typeof memoryHistory>) {
    const loaded = loadPolicy(text);
    assert.ok(loaded.ok);
    const rules = policy([profile('main', evictsAll('Test'))()], { limits: loaded.policy.limits });
    const source = { kind: 'dump', name: 'test', now, nowFrom: 'flag' } as const;
    const snapshot = clusterAt(now);
    const cluster = () => Promise.resolve({ snapshot, source, warnings: [] });
    const report = await cycle(rules, snapshot, {
      cluster,
      history,
      evict: () => Promise.resolve({ result: 'evicted' }),
    });
    times += report.evictions.length;
    assert.equal(report.refusals.length, 1);
    return {
      went: report.evictions.length,
      why: (report.refusals[0]?.reason ?? '').replace('is kept', 'are kept'),
      times,
    };
  }
});

/** Eight pods of the Deployment, made anew for each run. */
function clusterAt(now: string) {
  const pods = Array.from({ length: 8 }, (_, i) =>
    given.pod(
      `web-${i}`,
      given.uid(`web-${i}-${now}`),
      given.namespace('shop'),
      given.ownedBy('ReplicaSet', 'web-5d'),
      given.on('n1'),
    ),
  );
  const owner = workload('ReplicaSet', 'web-5d', { namespace: 'shop', owners: ['Deployment/web'] });
  return given.snapshot(given.node('n1'), given.node('n2'), given.budget('none', 'app=other'), owner, ...pods);
}
