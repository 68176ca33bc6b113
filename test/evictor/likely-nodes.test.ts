import assert from 'node:assert/strict';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { likelyNodesInAnyOrder } from '../../src/evictor/likely-nodes.ts';
import type { Reservation } from '../../src/evictor/reservation.ts';
import { seededRandom, type Random } from '../../src/lib/random.ts';
import { createPlacement, type Placement } from '../../src/placement/fit.ts';
import * as given from '../builders/cluster.ts';
import { requestFor } from '../builders/requests.ts';
import { workload } from '../builders/workload.ts';

const SEEDS = 12;

describe('likely nodes of many evictions at once', () => {
  it('name where at least 95% of the replacements land, in whatever order they come', () => {
    const totals = { evicted: 0, byPlan: 0, named: 0, size: 0, nodes: 0 };
    for (let seed = 1; seed <= SEEDS; seed++) {
      const cluster = randomCluster(seededRandom(seed));
      const { placement, plan } = planOf(cluster);
      const likely = likelyNodesInAnyOrder(plan, placement, cluster.nodes.length);
      const landed = schedule(cluster, plan, seededRandom(1_000 + seed));
      for (const one of plan) {
        const node = landed.get(one) ?? '';
        const names = likely.get(one) ?? [];
        totals.evicted += 1;
        totals.byPlan += one.likelyNodes.includes(node) ? 1 : 0;
        totals.named += names.includes(node) ? 1 : 0;
        totals.size += names.length;
        totals.nodes += cluster.nodes.length;
      }
    }
    const { evicted, byPlan, named, size, nodes } = totals;
    assert.ok(named >= 0.95 * evicted, `${named} of ${evicted}`);
    assert.ok(byPlan < 0.8 * evicted, `the plan's own order alone would do: ${byPlan} of ${evicted}`);
    assert.ok(size < 0.7 * nodes, `naming ${size} of ${nodes} nodes says nothing`);
  });

  it('begin with those of the plan', () => {
    const cluster = randomCluster(seededRandom(1));
    const { placement, plan } = planOf(cluster);
    for (const [{ likelyNodes }, names] of likelyNodesInAnyOrder(plan, placement, cluster.nodes.length)) {
      assert.deepEqual(names.slice(0, likelyNodes.length), likelyNodes);
      assert.ok(names.length <= 10);
      assert.equal(new Set(names).size, names.length);
    }
  });

  it('are the same for the same plan, and leave the cycle as it is', () => {
    const cluster = randomCluster(seededRandom(2));
    const { placement, plan } = planOf(cluster);
    const asked = given.pod('asked', given.requests({ cpu: 1 }));
    const seen = () => cluster.nodes.map((node) => placement.predict(asked).total(node));
    const before = seen();
    const first = likelyNodesInAnyOrder(plan, placement, cluster.nodes.length);
    assert.deepEqual(seen(), before);
    assert.deepEqual([...likelyNodesInAnyOrder(plan, placement, cluster.nodes.length)], [...first]);
  });

  it('are those of the plan where one pod is evicted, or where there are too many orders to play', () => {
    const cluster = randomCluster(seededRandom(3));
    const { placement, plan } = planOf(cluster);
    assert.equal(likelyNodesInAnyOrder(plan.slice(0, 1), placement, cluster.nodes.length).size, 0);
    assert.equal(likelyNodesInAnyOrder(plan, placement, 30_000).size, 0);
  });

  it('are none for the pod of another scheduler, and none are taken by what nobody replaces', () => {
    const other = given.pod('other', given.on('n1'), given.spec({ schedulerName: 'packer' }));
    const bare = given.pod('bare', given.on('n1'), given.noOwner);
    const web = given.pod('web', given.on('n1'));
    const cluster = given.snapshot(given.node('n1'), given.node('n2'), given.node('n3'), other, bare, web);
    const placement = createPlacement(cluster);
    const plan = [other, bare, web].map((pod, i) => reserve(placement, pod, i));
    const names = [...likelyNodesInAnyOrder(plan, placement, 3).values()];
    assert.deepEqual([names[0], names[1]?.length], [[], plan[1]?.likelyNodes.length]);
  });
});

/** As the plan foresees it: one after another, the first by name among equals. */
function planOf(cluster: Snapshot): { readonly placement: Placement; readonly plan: readonly Reservation[] } {
  const placement = createPlacement(cluster);
  const victims = cluster.pods.filter((_, i) => i % 2 === 0);
  return { placement, plan: victims.map((pod, i) => reserve(placement, pod, i)) };
}

function reserve(placement: Placement, pod: Pod, position: number): Reservation {
  const { likely } = placement.predict(pod);
  const [destination] = likely;
  placement.assume(pod, destination);
  const likelyNodes = pod.spec.schedulerName === 'packer' ? [] : likely.map(({ name }) => name).slice(0, 10);
  return {
    ...{ request: requestFor(pod), position, owner: 'ReplicaSet/web', budget: undefined, scoring: undefined },
    ...{ destination, isCounted: false, destinations: 0, likelyNodes },
  };
}

/** As it may go in the cluster: all victims on their way out, replacements in any order, equal nodes by chance. */
function schedule(cluster: Snapshot, plan: readonly Reservation[], random: Random): ReadonlyMap<Reservation, string> {
  const placement = createPlacement(cluster);
  for (const { request } of plan) {
    if (random() < 0.3) placement.remove(request.pod);
    else placement.assume(request.pod, undefined);
  }
  const landed = new Map<Reservation, string>();
  const order = plan.map((one) => ({ one, key: random() })).sort((a, b) => a.key - b.key);
  for (const { one } of order) {
    const { likely } = placement.predict(one.request.pod);
    const node = likely[Math.floor(random() * likely.length)];
    placement.assume(one.request.pod, node);
    landed.set(one, node?.name ?? '');
  }
  return landed;
}

/** Nodes of two sizes in three zones, workloads on a few of them each. */
function randomCluster(random: Random): Snapshot {
  const int = (n: number) => Math.floor(random() * n);
  const names = Array.from({ length: 8 + int(8) }, (_, i) => `node-${i}`);
  const pods = Array.from({ length: 10 }, (_, w) => {
    const [first, spread] = [int(names.length), 1 + int(4)];
    const requests = given.requests({ cpu: `${200 + 100 * int(8)}m`, memory: `${256 * (1 + int(6))}Mi` });
    const label = given.labels({ app: `app-${w}` });
    return Array.from({ length: 2 + int(7) }, (__, r) => {
      const place = given.on(names[(first + (r % spread)) % names.length] ?? '');
      return given.pod(`app-${w}-${r}`, label, given.ownedBy('ReplicaSet', `app-${w}`), place, requests);
    });
  });
  const owners = pods.map((_, w) => ({
    ...workload('ReplicaSet', `app-${w}`),
    selector: given.selector(`app=app-${w}`),
  }));
  const nodes = names.map((name, i) => {
    const size = i % 3 === 0 ? { cpu: 8, memory: '32Gi' } : { cpu: 4, memory: '16Gi' };
    return given.node(name, given.labels({ 'topology.kubernetes.io/zone': `zone-${i % 3}` }), given.allocatable(size));
  });
  return given.snapshot(...nodes, ...owners, ...pods.flat());
}
