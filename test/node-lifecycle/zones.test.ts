import type { Labels } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import { LIFECYCLE_DEFAULTS, type LifecycleOptions } from '../../src/node-lifecycle/options.ts';
import type { QueueMode } from '../../src/node-lifecycle/taint-queue.ts';
import {
  counts,
  judgeZones,
  zoneMode,
  zoneOf,
  zoneState,
  type ZoneCount,
  type ZonesBefore,
  type ZoneState,
} from '../../src/node-lifecycle/zones.ts';

const FULL: ZoneState = 'FullDisruption';
const count = (ready: number, notReady: number): ZoneCount => ({ ready, notReady });

describe('the zone of a node (3.1)', () => {
  const beta = 'failure-domain.beta.kubernetes.io';
  const stable = 'topology.kubernetes.io';
  const rows: readonly (readonly [string, Labels, string])[] = [
    ['no labels', {}, ''],
    ['region and zone', { [`${stable}/region`]: 'eu', [`${stable}/zone`]: 'eu-1a' }, 'eu:eu-1a'],
    ['a zone alone', { [`${stable}/zone`]: 'a' }, ':a'],
    ['a region alone', { [`${stable}/region`]: 'eu' }, 'eu:'],
    ['the old label wins', { [`${stable}/zone`]: 'new', [`${beta}/zone`]: 'old' }, ':old'],
    ['the old label wins, even empty', { [`${stable}/zone`]: 'new', [`${beta}/zone`]: '' }, ''],
  ];
  for (const [name, labels, zone] of rows) {
    it(name, () => {
      assert.equal(zoneOf(labels), zone);
    });
  }
});

describe('the exclusion label (2.7)', () => {
  it('is its presence, whatever its value; a name that looks like a control plane is none', () => {
    const label = 'node.kubernetes.io/exclude-disruption';
    const given = [{}, { name: 'master-abc' }, { [label]: '' }, { [label]: 'false' }];
    assert.deepEqual(given.map(counts), [true, true, false, false]);
  });
});

describe('the state of a zone (3.2)', () => {
  const rows: readonly (readonly [string, ZoneCount, ZoneState])[] = [
    ['nobody is down', count(3, 0), 'Normal'],
    ['two of three are down', count(1, 2), 'Normal'],
    ['three of four are down', count(1, 3), 'PartialDisruption'],
    ['three of six are down: 50%', count(3, 3), 'Normal'],
    ['eleven of twenty are down: exactly 55%', count(9, 11), 'PartialDisruption'],
    ['one of one is down', count(0, 1), FULL],
    ['two of two are down', count(0, 2), FULL],
    ['nobody is there', count(0, 0), 'Normal'],
  ];
  for (const [name, counted, state] of rows) {
    it(name, () => {
      assert.equal(zoneState(counted, 0.55), state);
    });
  }
});

describe('the rate of a zone (3.3)', () => {
  interface Row {
    readonly state: ZoneState;
    readonly counted: ZoneCount;
    readonly options?: Partial<LifecycleOptions>;
    readonly mode: QueueMode;
  }
  const rate = (perSecond: number): QueueMode => ({ kind: 'rate', perSecond });
  const blocked: QueueMode = { kind: 'blocked' };
  const rows: Readonly<Record<string, Row>> = {
    Normal: { state: 'Normal', counted: count(9, 1), mode: rate(0.1) },
    'Full is as fast as Normal': { state: FULL, counted: count(0, 9), mode: rate(0.1) },
    '6.15-14 Partial of 50 nodes': { state: 'PartialDisruption', counted: count(20, 30), mode: blocked },
    '6.15-14 Partial of 51 nodes': { state: 'PartialDisruption', counted: count(20, 31), mode: rate(0.01) },
    'a rate of 0 is blocked': { state: 'Normal', counted: count(9, 1), options: { evictionRate: 0 }, mode: blocked },
    '12 Partial pauses': {
      state: 'PartialDisruption',
      counted: count(20, 31),
      options: { partialDisruption: 'pause' },
      mode: blocked,
    },
    '12 Partial untaints': {
      state: 'PartialDisruption',
      counted: count(20, 31),
      options: { partialDisruption: 'untaint' },
      mode: blocked,
    },
    '13 Full at the secondary rate': {
      state: FULL,
      counted: count(0, 9),
      options: { fullDisruption: 'secondary' },
      mode: rate(0.01),
    },
    '13 Full stops': { state: FULL, counted: count(0, 9), options: { fullDisruption: 'stop' }, mode: blocked },
  };
  for (const [name, { state, counted, options, mode }] of Object.entries(rows)) {
    it(name, () => {
      assert.deepEqual(zoneMode(state, counted, { ...LIFECYCLE_DEFAULTS, ...options }), mode);
    });
  }
});

describe('the zones together (3.4, 6.1)', () => {
  interface Row {
    /** Counts of ready and not ready by zone, pass after pass. */
    readonly passes: readonly Readonly<Record<string, readonly [number, number]>>[];
    readonly states: readonly string[];
  }
  const rows: Readonly<Record<string, Row>> = {
    'node-lifecycle Z1 one node without zone, ready': {
      passes: [{ '': [1, 0] }, { '': [1, 0] }],
      states: ['=Normal adjust', '=Normal adjust'],
    },
    'node-lifecycle Z2 two zones without a ready node, one comes back': {
      passes: [
        { z1: [0, 1], z2: [0, 1] },
        { z1: [0, 1], z2: [1, 0] },
      ],
      states: [`z1=${FULL} z2=${FULL} enter`, `z1=${FULL} z2=Normal leave`],
    },
    'node-lifecycle Z3 four nodes without conditions, one comes up': {
      passes: [{ z1: [0, 4] }, { z1: [1, 3] }],
      states: [`z1=${FULL} enter`, 'z1=PartialDisruption leave'],
    },
    'node-lifecycle Z6 one zone without a ready node, one healthy': {
      passes: [
        { z1: [0, 1], z2: [1, 0] },
        { z1: [0, 1], z2: [1, 0] },
      ],
      states: [`z1=${FULL} z2=Normal adjust`, `z1=${FULL} z2=Normal adjust`],
    },
    'node-lifecycle Z7 two regions without a ready node': {
      passes: [
        { 'r1:z': [0, 1], 'r2:z': [0, 1] },
        { 'r1:z': [0, 1], 'r2:z': [0, 1] },
      ],
      states: [`r1:z=${FULL} r2:z=${FULL} enter`, `r1:z=${FULL} r2:z=${FULL} stay`],
    },
    'node-lifecycle Z8 the only node loses its conditions': {
      passes: [{ z1: [1, 0] }, { z1: [0, 1] }],
      states: ['z1=Normal adjust', `z1=${FULL} enter`],
    },
    'a zone of which no node counts has no state': {
      passes: [{ z1: [1, 0], z2: [0, 0] }],
      states: ['z1=Normal adjust'],
    },
    'nothing counts at all: no full disruption': { passes: [{ z1: [0, 0] }, {}], states: ['stay', 'stay'] },
    '6.15-11 a new zone without a ready node while none is ready': {
      passes: [{ z1: [0, 1] }, { z1: [0, 1], z2: [0, 1] }],
      states: [`z1=${FULL} enter`, `z1=${FULL} z2=${FULL} enter`],
    },
    'the last living zone vanishes with its nodes': {
      passes: [{ z1: [0, 1], z2: [1, 0] }, { z1: [0, 1] }],
      states: [`z1=${FULL} z2=Normal adjust`, `z1=${FULL} enter`],
    },
  };
  for (const [name, { passes, states }] of Object.entries(rows)) {
    it(name, () => {
      let before: ZonesBefore = { isFullDisruption: false, states: new Map() };
      const seen = passes.map((pass) => {
        const zones = new Map(Object.entries(pass).map(([zone, [up, down]]) => [zone, count(up, down)]));
        const verdict = judgeZones(before, zones, 0.55);
        before = verdict;
        return [...[...verdict.states].map(([zone, state]) => `${zone}=${state}`), verdict.action].join(' ');
      });
      assert.deepEqual(seen, states);
    });
  }
});
