import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { clockOf } from '../../src/lib/clock.ts';
import type { EvictPod } from '../../src/evictor/carry-out.ts';
import type { EvictionEnding } from '../../src/outcomes/eviction-result.ts';
import type { Outcome } from '../../src/outcomes/outcome.ts';
import type { Verdict } from '../../src/strategies/strategy.ts';
import type { PauseWhen } from '../../src/policy/policy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, evicts, evictsAll, lines, NOW, policy, profile, strategy } from './policies.ts';

const pods = ['a', 'b', 'c', 'd'].map((name) => given.pod(name, given.ownedBy('ReplicaSet', name), given.on('n1')));
const [a, b, c, d] = pods as [Pod, Pod, Pod, Pod];
const noBudgets = given.budget('unrelated', 'app=other');
const cluster = given.snapshot(given.node('n1'), given.node('n2'), noBudgets, ...pods);
const bare = given.pod('bare', given.noOwner, given.on('n1'));
const BARE =
  'is a bare pod in phase Running: it has no owner that would replace it; only the annotation descheduler.alpha.kubernetes.io/evict would allow its eviction (podProtections.defaultDisabled: [FailedBarePods] frees bare pods that have failed)';

describe('one cycle: which strategies run, and when', () => {
  const one = given.snapshot(given.node('n1'), given.node('n2'), noBudgets, a);
  const rows: readonly [string, 'deschedule' | 'balance', 'deschedule' | 'balance', readonly string[]][] = [
    ['framework F1 enabled for deschedule', 'deschedule', 'deschedule', ['a']],
    ['framework F2 enabled for balance', 'balance', 'balance', ['a']],
    ['framework F3 enabled for balance, nothing for deschedule', 'balance', 'deschedule', []],
    ['framework F4 enabled for deschedule, nothing for balance', 'deschedule', 'balance', []],
  ];
  for (const [row, enabledFor, runs, evicted] of rows) {
    it(row, async () => {
      const full = profile('main', evictsAll('Test', enabledFor))();
      const only = { ...full, deschedule: [], balance: [], [runs]: full[runs] };
      const report = await cycle(policy([only]), one);
      assert.deepEqual(
        report.evictions.map(({ pod }) => pod.name),
        evicted,
      );
    });
  }

  it('framework F6 every deschedule strategy of every profile in listed order, then every balance strategy', async () => {
    const of = (...names: readonly string[]) => names.map((name) => evictsAll(name));
    const balance = (...names: readonly string[]) => names.map((name) => evictsAll(name, 'balance'));
    const first = profile('first', ...balance('P1', 'P0', 'P2'), ...of('D2', 'D0', 'D1'))();
    const second = profile('second', ...balance('P4'), ...of('D4'))();
    const report = await cycle(policy([first, second]), one);
    assert.deepEqual(
      report.strategies.map(({ profile: by, name, extensionPoint }) => `${by}/${extensionPoint}/${name}`),
      [
        'first/deschedule/D2',
        'first/deschedule/D0',
        'first/deschedule/D1',
        'second/deschedule/D4',
        'first/balance/P1',
        'first/balance/P0',
        'first/balance/P2',
        'second/balance/P4',
      ],
    );
  });

  it('an evicted pod is gone for the strategies that follow', async () => {
    const report = await cycle(policy([profile('main', evicts('First', [a, b]), evictsAll('Second'))()]), cluster);
    assert.deepEqual(lines(report), [
      'main/First: a is in the way -> would-evict',
      'main/First: b is in the way -> would-evict',
      'main/Second: c is chosen by Second -> would-evict',
      'main/Second: d is chosen by Second -> would-evict',
      'main/First 2=2+0',
      'main/Second 2=2+0; saw 2 pods',
    ]);
  });

  it('a place promised to a victim of one strategy is taken for the next strategy', async () => {
    const big = ['a', 'b'].map((name) => given.pod(name, given.on('n1'), given.requests({ cpu: 3 })));
    const tight = given.snapshot(given.node('n1'), given.node('n2'), noBudgets, ...big);
    const main = profile('main', evicts('First', big.slice(0, 1)), evicts('Second', big.slice(1)))({ nodeFit: true });
    const report = await cycle(policy([main]), tight);
    assert.deepEqual(lines(report), [
      'main/First: a is in the way -> would-evict',
      'main/Second: b [nodeFit] does not fit on n2, the only other ready node: needs 3 cpu, 1 of 4 free, 3 kept for the replacement of default/a',
      'main/First 1=1+0',
      'main/Second 1=0+1',
    ]);
  });

  it('arguments namespaces and labelSelector choose the victims', async () => {
    const web = given.labels({ app: 'web' });
    const shop = given.namespace('shop');
    const mixed = given.snapshot(
      given.node('n1', given.pod('a', web), given.pod('b', web, shop), given.pod('c', shop)),
      given.node('n2'),
      noBudgets,
    );
    const evicted = async (args: object) => {
      const report = await cycle(policy([profile('main', [evictsAll('Test'), args])()]), mixed);
      return report.evictions.map(({ pod }) => pod.name);
    };
    assert.deepEqual(await evicted({}), ['a', 'b', 'c']);
    assert.deepEqual(await evicted({ namespaces: { include: ['shop'], exclude: [] } }), ['b', 'c']);
    assert.deepEqual(await evicted({ namespaces: { exclude: ['shop'] } }), ['a']);
    assert.deepEqual(await evicted({ labelSelector: given.selector('app=web') }), ['a', 'b']);
    assert.deepEqual(await evicted({ namespaces: { include: ['shop'] }, labelSelector: given.selector('app=web') }), [
      'b',
    ]);
  });
});

describe('one cycle: skipped', () => {
  const all = profile('main', evictsAll('Test'))();
  const rows: readonly [string, Parameters<typeof cycle>, string][] = [
    [
      'with one node',
      [policy([all]), given.snapshot(given.node('n1', a))],
      'cycle skipped: it takes two usable nodes to move a pod, and there is one (1 of 1 nodes ready)',
    ],
    [
      'with one ready node',
      [policy([all]), given.snapshot(given.node('n1', a), given.node('n2', given.notReady))],
      'cycle skipped: it takes two usable nodes to move a pod, and there is one (1 of 2 nodes ready)',
    ],
    [
      "with no node that the policy's nodeSelector chooses",
      [policy([all], { nodeSelector: given.selector('pool=b').matchExpressions }), cluster],
      "cycle skipped: it takes two usable nodes to move a pod, and there are none (2 of 2 nodes ready, 0 of these chosen by the policy's nodeSelector)",
    ],
    [
      'in an empty cluster',
      [policy([all]), given.snapshot()],
      'cycle skipped: it takes two usable nodes to move a pod, and there are none (0 of 0 nodes ready)',
    ],
  ];
  for (const [row, input, warning] of rows) {
    it(row, async () => {
      const report = await cycle(...input);
      assert.deepEqual(lines(report), [`warning: ${warning}`]);
      assert.equal(report.skipped, warning);
    });
  }

  const troubled = given.snapshot(
    ...['n1', 'n2', 'n3'].map((name) => given.node(name)),
    given.node('n4', given.notReady),
    ...['a', 'b', 'c'].map((name) => given.pod(name, given.on('n1'))),
    given.pod('waiting', given.phase('Pending')),
    noBudgets,
  );
  const pauses: readonly (readonly [string, PauseWhen, string | undefined])[] = [
    [
      'as many nodes not ready as pauseWhen names',
      { notReadyNodes: { pods: 1 } },
      '1 of 4 nodes are not ready, and pauseWhen.notReadyNodes is 1',
    ],
    [
      'such a share of them',
      { notReadyNodes: { percent: 25 } },
      '1 of 4 nodes are not ready, and pauseWhen.notReadyNodes is 25%',
    ],
    ['fewer', { notReadyNodes: { pods: 2 } }, undefined],
    ['a smaller share', { notReadyNodes: { percent: 50 } }, undefined],
    [
      'as many pods that wait',
      { pendingPods: { percent: 25 } },
      '1 of 4 pods wait for a node, and pauseWhen.pendingPods is 25%',
    ],
    ['fewer of both', { notReadyNodes: { pods: 2 }, pendingPods: { pods: 2 } }, undefined],
    ['nothing set', {}, undefined],
  ];
  for (const [row, pauseWhen, why] of pauses) {
    it(`with ${row}: ${why === undefined ? 'it runs' : 'it is skipped'}`, async () => {
      const report = await cycle(policy([all], { pauseWhen }), troubled);
      assert.equal(report.skipped, why && `cycle skipped: ${why}`);
      assert.equal(report.evictions.length > 0, why === undefined);
    });
  }

  it('never because of nothing: 0% of healthy nodes', async () => {
    const report = await cycle(
      policy([all], { pauseWhen: { notReadyNodes: { percent: 0 }, pendingPods: { pods: 0 } } }),
      cluster,
    );
    assert.equal(report.skipped, undefined);
  });
});

describe('one cycle: limits', () => {
  const shop = given.namespace('shop');
  const crowd = ['a', 'b', 'c', 'd'].map((name) => given.pod(name, shop));
  const busy = given.snapshot(
    given.node('n1', ...crowd),
    given.node('n2', given.pod('e', given.namespace('mail'))),
    noBudgets,
  );
  const two = policy([profile('main', evictsAll('First'), evictsAll('Second'))()]);
  const limited = (limits: object) => cycle({ ...two, limits: { ...two.limits, ...limits } }, busy);

  it('framework V2 limits of one each: one eviction, and the total ends the cycle', async () => {
    const report = await limited({ total: 1, node: 1, namespace: 1 });
    assert.deepEqual(lines(report), [
      'main/First: a is chosen by First -> would-evict',
      'main/First: b [maxNoOfPodsToEvictTotal] is kept because maxNoOfPodsToEvictTotal allows 1 eviction in this cycle; further pods are passed over',
      'main/First 2=1+1; saw 5 pods',
      'main/Second 0=0+0; not run: maxNoOfPodsToEvictTotal is reached',
    ]);
  });

  it('a namespace limit is reported once, and other namespaces go on (framework 7.2, 9)', async () => {
    assert.deepEqual(lines(await limited({ namespace: 2 })), [
      'main/First: a is chosen by First -> would-evict',
      'main/First: b is chosen by First -> would-evict',
      'main/First: e is chosen by First -> would-evict',
      'main/First: c [maxNoOfPodsToEvictPerNamespace] is kept because maxNoOfPodsToEvictPerNamespace allows 2 evictions in namespace shop in this cycle; further pods are passed over',
      'main/First 4=3+1; saw 5 pods',
      'main/Second 0=0+0; saw 2 pods',
    ]);
  });

  it('a limit of zero per node means none, once for each node', async () => {
    assert.deepEqual(lines(await limited({ node: 0 })), [
      'main/First: a [maxNoOfPodsToEvictPerNode] is kept because maxNoOfPodsToEvictPerNode allows no eviction on node n1 in this cycle; further pods are passed over',
      'main/First: e [maxNoOfPodsToEvictPerNode] is kept because maxNoOfPodsToEvictPerNode allows no eviction on node n2 in this cycle; further pods are passed over',
      'main/First 2=0+2; saw 5 pods',
      'main/Second 0=0+0; saw 5 pods',
    ]);
  });

  it('a limit that exactly suffices is no news', async () => {
    assert.deepEqual(lines(await limited({ total: 5 })).slice(5), [
      'main/First 5=5+0; saw 5 pods',
      'main/Second 0=0+0; saw 0 pods',
    ]);
  });

  it('a limit that a strategy only meets in a check is reported when it has ended', async () => {
    const careful = strategy('Careful', function* ({ snapshot, check }) {
      for (const pod of snapshot.podsOn('n1')) {
        const verdict = check(pod);
        if (verdict.granted) yield { evict: pod, reason: 'may go' };
        else yield { skip: pod, by: verdict.by, reason: verdict.reason };
      }
      return [];
    });
    const silent = strategy('Silent', function* ({ snapshot, check }) {
      for (const pod of snapshot.podsOn('n1')) if (check(pod).granted) yield { evict: pod, reason: 'may go' };
      return [];
    });
    const notice =
      'b [maxNoOfPodsToEvictPerNode] is kept because maxNoOfPodsToEvictPerNode allows 1 eviction on node n1 in this cycle; further pods are passed over';
    for (const one of [careful, silent]) {
      const report = await cycle(policy([profile('main', one)()], { limits: { node: 1 } }), busy);
      assert.deepEqual(lines(report), [
        `main/${one.name}: a may go -> would-evict`,
        `main/${one.name}: ${notice}`,
        `main/${one.name} 2=1+1`,
      ]);
    }
  });

  it('framework V13, W-5, W-6, W-7 with two of five pods handed to an external actor, no limit of 4 is broken', async () => {
    const five = ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => given.pod(name, given.namespace('dev'), given.on('n1')));
    const dev = given.snapshot(given.node('n1'), given.node('n2'), noBudgets, ...five);
    const evict: EvictPod = ({ pod }) =>
      Promise.resolve({ result: ['p1', 'p2'].includes(pod.name) ? 'requested' : 'evicted' });
    for (const limits of [{ node: 4 }, { namespace: 4 }, { total: 4 }]) {
      for (let turn = 0; turn < five.length; turn += 1) {
        const order = [...five.slice(turn), ...five.slice(0, turn)];
        const report = await cycle(policy([profile('main', evicts('Test', order))()], { limits }), dev, { evict });
        assert.deepEqual(
          report.evictions.map(({ pod }) => pod.name),
          order.slice(0, 4).map(({ name }) => name),
        );
      }
    }
  });
});

describe('one cycle: verdicts', () => {
  it('answers each proposal at once', async () => {
    const verdicts: Verdict[] = [];
    const withBare = given.snapshot(...cluster.nodes, noBudgets, a, bare);
    const report = await cycle(policy([profile('main', evicts('Test', [a, bare, a], verdicts))()]), withBare);
    assert.deepEqual(
      verdicts.map((verdict) => (verdict.granted ? verdict.destination?.name : `${verdict.scope} ${verdict.by}`)),
      ['n2', 'pod FailedBarePods', 'pod AlreadyEvicted'],
    );
    assert.deepEqual(lines(report), [
      'main/Test: a is in the way -> would-evict',
      `main/Test: bare [FailedBarePods] ${BARE}`,
      'main/Test: a [AlreadyEvicted] is on its way out since earlier in this cycle',
      'main/Test 3=1+2',
    ]);
  });

  it('counts on nothing when it only checks', async () => {
    const seen: boolean[] = [];
    const checking = strategy('Test', function* ({ check }) {
      seen.push(check(a).granted, check(b).granted);
      yield { evict: b, reason: 'is better' };
      return [];
    });
    const report = await cycle(policy([profile('main', checking)()], { limits: { total: 1 } }), cluster);
    assert.deepEqual([seen, lines(report)[0]], [[true, true], 'main/Test: b is better -> would-evict']);
  });

  it('lets several pods go only together', async () => {
    const withBare = given.snapshot(...cluster.nodes, noBudgets, ...pods, bare);
    const verdicts: Verdict[] = [];
    const together = strategy('Test', function* () {
      verdicts.push(yield { evictAll: [a, bare, b], reason: 'go together' });
      verdicts.push(yield { evictAll: [b, c], reason: 'go together' });
      return [];
    });
    const report = await cycle(policy([profile('main', together)()]), withBare);
    assert.deepEqual(verdicts, [
      { granted: false, scope: 'pod', by: 'FailedBarePods', reason: BARE },
      { granted: true },
    ]);
    assert.deepEqual(lines(report), [
      'main/Test: b go together -> would-evict',
      'main/Test: c go together -> would-evict',
      `main/Test: bare [FailedBarePods] ${BARE}`,
      `main/Test: a [FailedBarePods] is evicted only together with default/bare, which is kept: ${BARE}`,
      `main/Test: b [FailedBarePods] is evicted only together with default/bare, which is kept: ${BARE}`,
      'main/Test 5=2+3',
    ]);
  });

  it('reports pods that a strategy leaves alone, each once', async () => {
    const skipping = strategy('Test', function* () {
      yield { skip: a, by: 'spread', reason: 'would not help' };
      yield { skip: a, by: 'spread', reason: 'would not help' };
      return ['nothing helps'];
    });
    assert.deepEqual(lines(await cycle(policy([profile('main', skipping)()]), cluster)), [
      'main/Test: a [spread] would not help',
      'main/Test 1=0+1; nothing helps',
    ]);
  });

  it('tells strategies where a pod fits, with nodeFit off, too', async () => {
    const big = given.pod('big', given.on('n1'), given.requests({ cpu: 3 }));
    const tight = given.snapshot(given.node('n1'), given.node('n2'), noBudgets, big, d);
    const asking = strategy('Test', function* ({ fits, nodes, snapshot }) {
      const names = () => nodes.length > 0 && fits(big, snapshot.nodes).map(({ name }) => name);
      const before = names();
      yield { evict: d, reason: 'is in the way' };
      return [JSON.stringify(before)];
    });
    const report = await cycle(policy([profile('main', asking)()]), tight);
    assert.deepEqual(report.strategies[0]?.notes, ['["n1","n2"]']);
  });
});

describe('one cycle: things that go wrong', () => {
  it('a strategy that throws ends only itself; what it was granted stands', async () => {
    const throwing = strategy('Broken', function* () {
      yield { evict: a, reason: 'is in the way' };
      throw new Error('division by zero');
    });
    const report = await cycle(policy([profile('main', throwing, evictsAll('Next'))()]), cluster);
    assert.match(report.strategies[0]?.stack ?? '', /^Error: division by zero\n +at /u);
    assert.deepEqual(lines(report), [
      'main/Broken: a is in the way -> would-evict',
      'main/Next: b is chosen by Next -> would-evict',
      'main/Next: c is chosen by Next -> would-evict',
      'main/Next: d is chosen by Next -> would-evict',
      'main/Broken 1=1+0 failed: division by zero',
      'main/Next 3=3+0; saw 3 pods',
    ]);
  });

  it('framework V1 a failed eviction frees what it had booked, for the next strategy, which leaves that pod alone', async () => {
    const evict: EvictPod = ({ pod }) => {
      const refused: EvictionEnding = { result: 'refused-by-budget', error: 'budget' };
      return Promise.resolve(pod === a ? refused : { result: 'evicted' });
    };
    const main = profile('main', evicts('First', [a]), evicts('Second', [a, b]))();
    const report = await cycle(policy([main], { limits: { namespace: 1 } }), cluster, { evict });
    assert.deepEqual(lines(report), [
      'main/First: a is in the way -> refused-by-budget (budget)',
      'main/Second: b is in the way -> evicted',
      'main/Second: a [EvictionFailed] could not be evicted earlier in this cycle: budget',
      'main/First 1=0+0',
      'main/Second 2=1+1',
    ]);
  });

  it('the plan does not depend on how fast evictions end', async () => {
    const slowFirst: EvictPod = async ({ pod }) => {
      for (let turn = pod === a ? 9 : 1; turn > 0; turn -= 1) await nextTurn();
      return { result: 'evicted' };
    };
    const observed: string[] = [];
    const observe = (outcome: Outcome) => {
      if (outcome.kind === 'eviction') observed.push(outcome.pod.name);
    };
    const rules = policy([profile('main', evictsAll('Test'))()]);
    const report = await cycle(rules, cluster, { evict: slowFirst, observe });
    assert.deepEqual(observed, ['b', 'c', 'd', 'a']);
    assert.deepEqual(
      report.evictions.map(({ pod }) => pod.name),
      ['a', 'b', 'c', 'd'],
    );
  });

  it('an abort ends the cycle between two candidates, and later strategies do not run', async () => {
    const abort = new AbortController();
    const aborting = strategy('First', function* () {
      yield { evict: a, reason: 'is in the way' };
      abort.abort();
      yield { evict: b, reason: 'is in the way' };
      return ['not reached'];
    });
    const evict: EvictPod = () => Promise.resolve({ result: 'evicted' });
    const rules = policy([profile('main', aborting, evictsAll('Second'))()]);
    assert.deepEqual(lines(await cycle(rules, cluster, { signal: abort.signal, evict })), [
      'main/First: a is in the way -> evicted',
      'main/First 1=1+0; ended early: the run was ended',
      'main/Second 0=0+0; not run: the run was ended',
    ]);
  });

  it('a long list of candidates leaves the event loop time to abort', async () => {
    const abort = new AbortController();
    const endless = strategy('Endless', function* () {
      for (;;) yield { skip: a, by: 'endless', reason: 'again' };
    });
    setImmediate(() => {
      abort.abort();
    });
    const report = await cycle(policy([profile('main', endless)()]), cluster, { signal: abort.signal });
    assert.deepEqual(lines(report), [
      'main/Endless: a [endless] again',
      'main/Endless 1=0+1; ended early: the run was ended',
    ]);
  });

  it('so does a short list of candidates that take long to find', async () => {
    const abort = new AbortController();
    let elapsed = 0;
    const clock = clockOf({ wall: () => Date.parse(NOW), elapsedMs: () => elapsed });
    const slow = strategy('Slow', function* () {
      for (let found = 1; found < 10; found += 1) {
        elapsed += 7;
        yield { skip: a, by: 'slow', reason: `was found as number ${found}` };
      }
      return [];
    });
    setImmediate(() => {
      abort.abort();
    });
    const report = await cycle(policy([profile('main', slow)()]), cluster, { signal: abort.signal, clock });
    assert.deepEqual(lines(report), [
      'main/Slow: a [slow] was found as number 1',
      'main/Slow 1=0+1; ended early: the run was ended',
    ]);
  });

  it('a PriorityClass that does not exist fails the cycle before anything is evicted', async () => {
    const requests: Pod[] = [];
    const evict: EvictPod = ({ pod }) => {
      requests.push(pod);
      return Promise.resolve({ result: 'evicted' });
    };
    const rules = policy([
      profile('fine', evictsAll('Test'))(),
      profile('main', evictsAll('Test'))({ priorityThreshold: { name: 'gone' } }),
    ]);
    await assert.rejects(cycle(rules, cluster, { evict }), { name: 'PriorityThresholdError' });
    assert.deepEqual(requests, []);
  });

  it('a PriorityClass is looked up in each cycle', async () => {
    const withClass = (value: number) => {
      const named = { kind: 'PriorityClass', name: 'high', namespace: '', uid: 'high', labels: {}, value } as const;
      return given.snapshot(...cluster.nodes, noBudgets, given.pod('p', given.priority(500), given.on('n1')), named);
    };
    const rules = policy([profile('main', evictsAll('Test'))({ priorityThreshold: { name: 'high' } })]);
    const evicted = async (value: number) => (await cycle(rules, withClass(value))).evictions.length;
    assert.deepEqual([await evicted(500), await evicted(501)], [0, 1]);
  });

  it('unknown budgets are named once', async () => {
    const unknown = given.snapshot(...cluster.nodes, a);
    const rules = policy([profile('one', evictsAll('Test'))(), profile('two', evictsAll('Test'))()]);
    const report = await cycle(rules, unknown);
    assert.deepEqual(report.warnings, [
      'no PodDisruptionBudget objects were read: evictions that one would refuse are not predicted',
    ]);
  });

  it('a namespace that strategies are limited to and that is not there is named, for each strategy', async () => {
    const going = [evictsAll('Going'), { namespaces: { include: ['gone', 'default', 'lost'] } }] as const;
    const rules = policy([
      profile('main', going, evictsAll('All'))(),
      profile('', [evictsAll('Other'), { namespaces: { include: ['empty'], exclude: ['gone'] } }])(),
    ]);
    const warningsWith = async (...names: readonly string[]) => {
      const namespaces = names.map((name) => given.namespaceObject(name));
      return (await cycle(rules, given.snapshot(...cluster.nodes, noBudgets, a, ...namespaces))).warnings;
    };
    assert.deepEqual(await warningsWith('empty'), [
      'Going of profile main includes the namespaces gone, lost, which the cluster does not have',
    ]);
    assert.deepEqual(await warningsWith(), [
      'Going of profile main includes the namespaces gone, lost, of which no pod was read',
      'Other includes the namespace empty, of which no pod was read',
    ]);
  });

  it('warnings of the reader come first', async () => {
    const source = { kind: 'cluster', name: 'live', now: '2026-01-02T00:00:00Z', nowFrom: 'clock' } as const;
    const view = { snapshot: cluster, source, warnings: ['3 pods are on unknown nodes'] };
    const report = await cycle(policy([]), cluster, { cluster: () => Promise.resolve(view) });
    assert.deepEqual(report, {
      dryRun: true,
      startedAt: Date.parse('2026-01-02T00:00:00Z'),
      finishedAt: Date.parse('2026-01-02T00:00:00Z'),
      source,
      cluster: { nodes: 2, readyNodes: 2, pods: 4 },
      evictions: [],
      refusals: [],
      strategies: [],
      warnings: ['3 pods are on unknown nodes'],
    });
  });
});
