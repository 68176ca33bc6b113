import type { Toleration } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { observingPorts } from '../../src/taint-eviction/ports.ts';
import { node, on, pod, spec, uid } from '../builders/cluster.ts';
import { boundSince, stamp, World, type WorldOptions } from '../node-lifecycle/world.ts';
import { PlainModel, type ModelTaint, type ModelToleration } from './plain-model.ts';

// Random lives of one node and its pods: taints come, go and come back, with times of clocks that are wrong, or none;
// tolerations and bindings change, pods and the node are made again, the controller is away for a while, its clock is set.
// The plain model, which shares nothing with the controller, says when each pod must go.

interface GivenTaint {
  readonly key: string;
  /** What its writer says, in seconds before the true time; `same`: as the taint of that key says now. */
  readonly age: number | 'none' | 'same';
}

type Step =
  | { readonly kind: 'taints' | 'replace-node'; readonly taints: readonly GivenTaint[] }
  | { readonly kind: 'tolerations'; readonly pod: number; readonly tolerations: readonly ModelToleration[] }
  | { readonly kind: 'bind' | 'replace-pod'; readonly pod: number; readonly age: number }
  | { readonly kind: 'step'; readonly seconds: number }
  | { readonly kind: 'heartbeat' | 'stop' | 'start' };

/** Steps with the whole seconds in between. */
type History = readonly (readonly [wait: number, step: Step])[];

const NODE = 'n';
const PODS = 3;
const END = 1_000;
const KEYS = ['a', 'b', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

const ages = fc.constantFrom(0, 0, 1, 2, 3, 60, -1, -40);
const taint: fc.Arbitrary<GivenTaint> = fc.record({
  key: fc.constantFrom(...KEYS),
  age: fc.oneof(ages, fc.constantFrom('none' as const, 'same' as const, 'same' as const)),
});
const taints = fc.uniqueArray(taint, { maxLength: 3, selector: ({ key }) => key });
const tolerations: fc.Arbitrary<readonly ModelToleration[]> = fc.array(
  fc.record({
    key: fc.constantFrom('', ...KEYS),
    seconds: fc.constantFrom(undefined, -1, 0, 1, 10, 30, 100, 300, 2 ** 63),
  }),
  { maxLength: 4 },
);
const which = fc.nat(PODS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('taints' as const), taints }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace-node' as const), taints }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('tolerations' as const), pod: which, tolerations }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('bind' as const, 'replace-pod' as const), pod: which, age: ages }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      seconds: fc.constantFrom(12, -12, 3_600, -3_600, 86_400, -86_400),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('heartbeat', 'stop', 'start') }) },
);
const wait = fc.oneof(fc.nat(3), fc.nat(40));
const history: fc.Arbitrary<History> = fc.array(fc.tuple(wait, step), { minLength: 2, maxLength: 16 });
const start = fc.tuple(tolerations, tolerations, tolerations);

describe('random histories', () => {
  it('every pod goes at exactly the moment that a plain model of the rules says, none earlier, none twice', async () => {
    await fc.assert(
      fc.asyncProperty(start, history, async (first, steps) => {
        const { model, world } = await played(first, steps, { lifecycle: 'off' });
        assert.deepEqual(goneFrom(world, 'deleted'), model.gone.toSorted());
      }),
      { numRuns: 2_000 },
    );
  });

  it('observing says of every pod that it would go when acting deletes it', async () => {
    const dated = history.map((steps) => steps.filter(([, each]) => isDated(each)));
    await fc.assert(
      fc.asyncProperty(start, dated, async (first, steps) => {
        const observing: WorldOptions = {
          lifecycle: 'off',
          eviction: { mode: 'observe' },
          evictionPorts: (ports) => observingPorts(ports),
        };
        const { model, world } = await played(first, steps, observing);
        const seen = new Set<string>();
        const firsts = world
          .logged('would-delete')
          .filter((line) => !seen.has(nameIn(line)) && Boolean(seen.add(nameIn(line))));
        assert.deepEqual(firsts.map(secondsAndName).toSorted(), model.gone.toSorted());
      }),
      { numRuns: 300 },
    );
  });
});

/** Nobody dates the taints that an observer sees; pods that would be gone must not be made again. */
function isDated(each: Step): boolean {
  if (each.kind === 'taints' || each.kind === 'replace-node') return each.taints.every(({ age }) => age !== 'none');
  return each.kind !== 'replace-pod';
}

/** Lets the same things happen to the controller and to the model. */
async function played(
  first: readonly (readonly ModelToleration[])[],
  steps: History,
  options: WorldOptions,
): Promise<{ readonly world: World; readonly model: PlainModel }> {
  const world = new World([node(NODE), ...first.map((each, index) => podOf(`p${index}`, each, -3_600))], options);
  const model = new PlainModel();
  for (const [index, each] of first.entries()) {
    model.pods.push({ id: `p${index}`, tolerations: each, boundText: -3_600 });
  }
  world.start();
  model.start();
  const life = new Life(world, model);
  for (const [wait, each] of steps) await life.step(wait, each);
  await life.step(0, { kind: 'start' });
  await world.until(`${END}s`);
  model.passTo(END);
  return { world, model };
}

class Life {
  readonly #world: World;
  readonly #model: PlainModel;
  #now = 0;
  #nodes = 0;
  #isRunning = true;

  constructor(world: World, model: PlainModel) {
    this.#world = world;
    this.#model = model;
  }

  async step(wait: number, each: Step): Promise<void> {
    this.#now += wait;
    // What falls due at the very moment of a step goes before it.
    await this.#world.until(`${this.#now}s`);
    this.#model.passTo(this.#now);
    await this.#happen(each);
    await this.#world.until(`${this.#now}s`);
  }

  async #happen(each: Step): Promise<void> {
    switch (each.kind) {
      case 'taints':
      case 'replace-node':
        this.#setTaints(each.kind, each.taints);
        return;
      case 'tolerations':
        this.#changePod(each.pod, each.tolerations, undefined);
        return;
      case 'bind':
        this.#changePod(each.pod, undefined, this.#now - each.age);
        return;
      case 'replace-pod':
        this.#replacePod(each.pod, this.#now - each.age);
        return;
      case 'heartbeat':
        this.#world.node(NODE, (before) => ({ ...before, labels: { at: String(this.#now) } }));
        this.#model.nodeEvent();
        return;
      case 'step':
        this.#world.clock.step(each.seconds * 1_000);
        this.#model.step(each.seconds);
        return;
      default:
        await this.#run(each.kind === 'start');
    }
  }

  async #run(isRunning: boolean): Promise<void> {
    if (this.#isRunning === isRunning) return;
    this.#isRunning = isRunning;
    if (isRunning) {
      this.#world.start();
      this.#model.start();
    } else {
      await this.#world.stop();
      this.#model.stop();
    }
  }

  #setTaints(kind: 'taints' | 'replace-node', given: readonly GivenTaint[]): void {
    const { taints: present } = this.#model;
    const taints = given.map(({ key, age }): ModelTaint => {
      const same = present.find((it) => it.key === key)?.timeAdded;
      if (age === 'none') return { key, timeAdded: undefined };
      return { key, timeAdded: age === 'same' ? (same ?? this.#now) : this.#now - age };
    });
    if (kind === 'taints') {
      this.#world.node(NODE, (before) => ({ ...before, taints: apiTaints(taints) }));
      this.#model.taints = taints;
      this.#model.nodeEvent();
      return;
    }
    const other = node(NODE, uid(`node-${++this.#nodes}`), (before) => ({ ...before, taints: apiTaints(taints) }));
    this.#world.api.removeNode(NODE);
    this.#world.api.kubelets.start(NODE, this.#world.clock.now());
    this.#world.api.putNode(other);
    this.#model.replaceNode(taints);
  }

  #changePod(index: number, tolerations: readonly ModelToleration[] | undefined, bound: number | undefined): void {
    const known = this.#model.pods.find(({ id }) => id === `p${index}`);
    if (!known) return;
    known.tolerations = tolerations ?? known.tolerations;
    known.boundText = bound ?? known.boundText;
    const { spec: after, createdAt, status } = podOf(known.id, known.tolerations, known.boundText);
    this.#world.pod(known.id, (before) => ({ ...before, spec: after, createdAt, status }));
    this.#model.podEvent(known, false);
  }

  /** A namesake with the same tolerations; if the pod is gone it comes back with none. */
  #replacePod(index: number, bound: number): void {
    const id = `p${index}`;
    const known = this.#model.pods.find((each) => each.id === id);
    const tolerations = known?.tolerations ?? [];
    const before = this.#world.api.podNamed('default', id);
    if (before) this.#world.api.removePod(before);
    this.#model.removePod(id);
    this.#world.api.putPod(uid(`${id}-at-${this.#now}-${this.#nodes++}`)(podOf(id, tolerations, bound)));
    const made = { id, tolerations, boundText: bound };
    this.#model.pods.push(made);
    this.#model.podEvent(made, true);
  }
}

function podOf(name: string, tolerations: readonly ModelToleration[], bound: number): Pod {
  return pod(name, on(NODE), boundSince(`${bound}s`), spec({ tolerations: tolerations.map(apiToleration) }));
}

function apiToleration({ key, seconds }: ModelToleration): Toleration {
  return { key, operator: 'Exists', value: '', effect: 'NoExecute', tolerationSeconds: seconds };
}

function apiTaints(taints: readonly ModelTaint[]): Node['taints'] {
  return taints.map(({ key, timeAdded }) => ({
    key,
    value: '',
    effect: 'NoExecute',
    timeAdded: timeAdded === undefined ? undefined : stamp(`${timeAdded}s`),
  }));
}

function goneFrom(world: World, word: string): readonly string[] {
  return world.logged(word).map(secondsAndName).toSorted();
}

function nameIn(line: string): string {
  return line.split(' default/')[1] ?? '';
}

/** `5m2s deleted default/p1` as `302 p1`. */
function secondsAndName(line: string): string {
  const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?/.exec(line) ?? [];
  return `${Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)} ${nameIn(line)}`;
}
