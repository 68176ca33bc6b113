import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import type { Container, ContainerStatus, Pod } from '../../src/cluster/objects/pod.ts';
import { requestsOf, assignedRequests } from '../../src/cluster/amounts/requests.ts';
import { parseResources, type Resources } from '../../src/cluster/amounts/resources.ts';
import {
  condition,
  container,
  init,
  plainContainer,
  pod,
  requests,
  sidecar,
  spec,
  status,
  type Amounts,
  type Part,
} from '../builders/cluster.ts';

/** Amounts of the pod level. */
function podLevel(amounts: Amounts): Part<Pod> {
  return spec({ podRequests: parseResources(amounts) });
}

function overhead(amounts: Amounts): Part<Pod> {
  return spec({ overhead: parseResources(amounts) });
}

/** The status of a container: what the kubelet actually gave and what it has allocated. */
function given(name: string, actual?: Amounts, allocated?: Amounts): ContainerStatus {
  return {
    name,
    ready: true,
    restartCount: 0,
    waitingReason: undefined,
    terminatedReason: undefined,
    exitCode: undefined,
    requests: actual && parseResources(actual),
    allocated: allocated && parseResources(allocated),
  };
}

describe('requestsOf (rule S10)', () => {
  const rows: readonly [text: string, parts: readonly Part<Pod>[], needs: Resources][] = [
    ['a pod that asks for nothing', [], {}],
    ['an explicit 0 stays', [requests({ cpu: 0, 'example.com/gpu': 0 })], { cpu: 0, 'example.com/gpu': 0 }],
    [
      'containers add up',
      [requests({ cpu: '100m', memory: '1Ki' }), container('b', { cpu: '200m', 'example.com/gpu': 1 })],
      { cpu: 300, memory: 1024, 'example.com/gpu': 1 },
    ],
    ['SF-10 the larger init container counts', [init('i', { cpu: 3 }), requests({ cpu: 1 })], { cpu: 3000 }],
    ['a smaller init container does not', [init('i', { cpu: 1 }), requests({ cpu: 3 })], { cpu: 3000 }],
    [
      'init containers run one after another',
      [init('i', { cpu: 2 }), init('j', { cpu: 3, memory: 5 }), requests({ cpu: 1 })],
      { cpu: 3000, memory: 5 },
    ],
    [
      'SF-11 a sidecar, then an init container: max(1+1, 1+2)',
      [sidecar('s', { cpu: 1 }), init('i', { cpu: 2 }), requests({ cpu: 1 })],
      { cpu: 3000 },
    ],
    [
      'an init container before the sidecar: max(1+1, 2)',
      [init('i', { cpu: 2 }), sidecar('s', { cpu: 1 }), requests({ cpu: 1 })],
      { cpu: 2000 },
    ],
    [
      'sidecars add up for those that start later: max(1+2+1, 1+2+4, 1+5)',
      [
        sidecar('s', { cpu: 1 }),
        init('i', { cpu: 5 }),
        sidecar('t', { cpu: 2 }),
        init('j', { cpu: 4 }),
        requests({ cpu: 1 }),
      ],
      { cpu: 7000 },
    ],
    [
      'each resource has its own peak',
      [init('i', { cpu: 4, memory: 1 }), requests({ cpu: 1, memory: 8 })],
      { cpu: 4000, memory: 8 },
    ],
    ['SF-12 overhead', [requests({ cpu: 1 }), overhead({ cpu: '1500m' })], { cpu: 2500 }],
    ['SF-13 the pod level replaces', [requests({ cpu: 1 }), podLevel({ cpu: 3 })], { cpu: 3000 }],
    ['the pod level replaces downwards, too', [requests({ cpu: 3 }), podLevel({ cpu: 1 })], { cpu: 1000 }],
    [
      'the pod level sets cpu, memory and hugepages only',
      [requests({ cpu: 1, memory: 5, 'example.com/gpu': 1 }), podLevel({ 'hugepages-2Mi': 7, 'example.com/gpu': 9 })],
      { cpu: 1000, memory: 5, 'example.com/gpu': 1, 'hugepages-2Mi': 7 },
    ],
    [
      'overhead comes on top of the pod level',
      [requests({ cpu: 1 }), podLevel({ cpu: 3 }), overhead({ cpu: 1, memory: 2 })],
      { cpu: 4000, memory: 2 },
    ],
    [
      'the status does not count',
      [requests({ cpu: 1 }), status({ containers: [given('main', { cpu: 3 }, { cpu: 3 })] })],
      { cpu: 1000 },
    ],
  ];
  for (const [text, parts, needs] of rows) {
    it(text, () => {
      assert.deepEqual(requestsOf(pod('p', ...parts).spec), needs);
    });
  }

  it('equal specs share one frozen answer', () => {
    const { spec } = pod('p', requests({ cpu: 1 }));
    assert.equal(requestsOf(spec), requestsOf(spec));
    assert.ok(Object.isFrozen(requestsOf(spec)));
  });

  it('is the largest amount that is in use at any moment', () => {
    const cpu = fc.nat(5).map((cores) => ({ cpu: cores * 1000 }));
    const step = fc.tuple(cpu, fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), fc.array(cpu, { minLength: 1, maxLength: 3 }), (steps, apps) => {
        const initContainers = steps.map(([amounts, runsOn], index) => made(`i${index}`, amounts, runsOn));
        const containers = apps.map((amounts, index) => made(`c${index}`, amounts, false));
        const peak = Math.max(...momentsOf(initContainers, containers));
        assert.deepEqual(requestsOf(pod('p', spec({ initContainers, containers })).spec), { cpu: peak });
      }),
    );
  });

  function made(name: string, amounts: Resources, runsOn: boolean): Container {
    return { ...plainContainer(name), requests: amounts, sidecar: runsOn };
  }

  /** The cpu in use while each init container starts, and in the end. */
  function momentsOf(initContainers: readonly Container[], containers: readonly Container[]): readonly number[] {
    const total = (all: readonly Container[]): number =>
      all.reduce((sum, { requests }) => sum + (requests['cpu'] ?? 0), 0);
    const running = (count: number): readonly Container[] =>
      initContainers.slice(0, count).filter((each) => each.sidecar);
    const starts = initContainers.map((each, index) => total([...running(index), each]));
    return [...starts, total([...running(initContainers.length), ...containers])];
  }
});

describe('residentRequests (rule S10)', () => {
  const infeasible = condition('PodResizePending', 'True', 'Infeasible');
  const deferred = condition('PodResizePending', 'True', 'Deferred');
  const rows: readonly [text: string, parts: readonly Part<Pod>[], needs: Resources][] = [
    ['without a status the spec counts', [requests({ cpu: 1 }), init('i', { cpu: 3 })], { cpu: 3000 }],
    ['SF-14 the pod level', [requests({ cpu: 1 }), podLevel({ cpu: 3 })], { cpu: 3000 }],
    [
      'SF-15 shrinking: what was given counts',
      [requests({ cpu: 1 }), status({ containers: [given('main', { cpu: 3 }, { cpu: 3 })] })],
      { cpu: 3000 },
    ],
    [
      'growing: what is asked counts',
      [requests({ cpu: 3 }), status({ containers: [given('main', { cpu: 1 }, { cpu: 1 })], conditions: [deferred] })],
      { cpu: 3000 },
    ],
    [
      'allocated but not yet actual',
      [requests({ cpu: 1 }), status({ containers: [given('main', { cpu: 1 }, { cpu: 2, memory: 5 })] })],
      { cpu: 2000, memory: 5 },
    ],
    [
      'SF-16 infeasible: the spec does not count',
      [requests({ cpu: 3 }), status({ containers: [given('main', { cpu: 1 })], conditions: [infeasible] })],
      { cpu: 1000 },
    ],
    [
      'infeasible, allocated above actual',
      [requests({ cpu: 3 }), status({ containers: [given('main', { cpu: 1 }, { cpu: 2 })], conditions: [infeasible] })],
      { cpu: 2000 },
    ],
    [
      'a status without resources counts for nothing',
      [requests({ cpu: 1 }), status({ containers: [given('main', undefined, { cpu: 9 })], conditions: [infeasible] })],
      { cpu: 1000 },
    ],
    [
      'a status of another container counts for nothing',
      [requests({ cpu: 1 }), status({ containers: [given('gone', { cpu: 9 })] })],
      { cpu: 1000 },
    ],
    [
      'sidecars by their status, plain init containers by their spec',
      [
        sidecar('s', { cpu: 1 }),
        init('i', { cpu: 1 }),
        requests({ cpu: 1 }),
        status({ initContainers: [given('s', { cpu: 4 }), given('i', { cpu: 9 })] }),
      ],
      { cpu: 5000 },
    ],
    [
      'the pod level shrinking',
      [requests({ cpu: 1 }), podLevel({ cpu: 1 }), status({ requests: { cpu: 2000 }, allocated: { cpu: 3000 } })],
      { cpu: 3000 },
    ],
    [
      'the pod level infeasible',
      [podLevel({ cpu: 9 }), status({ requests: { cpu: 2000 }, allocated: { cpu: 1000 }, conditions: [infeasible] })],
      { cpu: 2000 },
    ],
    [
      'the status of a pod level that the spec does not set',
      [requests({ cpu: 1 }), status({ requests: { cpu: 5000 }, allocated: undefined })],
      { cpu: 1000 },
    ],
    [
      'overhead on top',
      [requests({ cpu: 1 }), overhead({ cpu: 1 }), status({ containers: [given('main', { cpu: 3 })] })],
      { cpu: 4000 },
    ],
  ];
  for (const [text, parts, needs] of rows) {
    it(text, () => {
      assert.deepEqual(assignedRequests(pod('p', ...parts)), needs);
    });
  }

  it('is kept for the pod, and shared with its spec where no status says more', () => {
    const plain = pod('p', requests({ cpu: 1 }));
    const resized = pod('p', requests({ cpu: 1 }), status({ containers: [given('main', { cpu: 3 })] }));
    assert.equal(assignedRequests(plain), requestsOf(plain.spec));
    assert.equal(assignedRequests(resized), assignedRequests(resized));
  });
});

describe('requests of quantities finer than what is compared', () => {
  const decode = (spec: object): Pod => {
    const decoded = new Decoder().decodeObject({ kind: 'Pod', metadata: { name: 'p' }, spec })?.object;
    assert(decoded?.kind === 'Pod');
    return decoded;
  };
  const asking = (...amounts: readonly Amounts[]) =>
    amounts.map((requests, index) => ({ name: `c${index}`, resources: { requests } }));

  it('are rounded up to thousandths one by one, as the API server does, and to whole bytes as one sum', () => {
    const { spec } = decode({
      initContainers: asking({ memory: '2500m' }).map((sidecar) => ({ ...sidecar, restartPolicy: 'Always' })),
      containers: asking({ cpu: '0.1m', memory: '500m' }, { cpu: '100u', memory: '0.9991' }),
      overhead: { cpu: '1n', memory: '1m' },
    });
    assert.deepEqual(requestsOf(spec), { cpu: 3, memory: 5 });
  });

  it('of a resident add up in the same way', () => {
    const { spec, status } = decode({ containers: asking({ memory: '500m' }, { memory: '500m' }) });
    const containers = [given('c0', { memory: 0 }), given('c1', { memory: 0 })];
    assert.deepEqual(assignedRequests(pod('p', (before) => ({ ...before, spec, status: { ...status, containers } }))), {
      memory: 1,
    });
  });

  it('add up to what whole numbers of thousandths add up to', () => {
    const thousandths = fc.bigInt({ min: 0n, max: 2n ** 40n });
    fc.assert(
      fc.property(fc.array(thousandths, { minLength: 1, maxLength: 20 }), (amounts) => {
        const { spec } = decode({ containers: asking(...amounts.map((amount) => ({ memory: `${amount}m` }))) });
        const sum = amounts.reduce((total, amount) => total + amount, 0n);
        assert.deepEqual(requestsOf(spec), { memory: Number((sum + 999n) / 1000n) });
      }),
    );
  });
});
