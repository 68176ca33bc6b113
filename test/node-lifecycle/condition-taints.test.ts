import type { Taint } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import { formatTaint } from '../../src/cluster/rules/taints.ts';
import {
  NOT_READY,
  UNREACHABLE,
  desiredTaints,
  type DesiredNoExecute,
} from '../../src/node-lifecycle/condition-taints.ts';
import { condition, conditions, cordoned, node, type Part } from '../builders/cluster.ts';
import { START, stamp, tainted } from './world.ts';

const NR = `${NOT_READY}:NoExecute`;
const UR = `${UNREACHABLE}:NoExecute`;
const says = (...pairs: readonly string[]): Part<Node> =>
  conditions(...pairs.map((pair) => condition(pair.split('=')[0] ?? '', pair.split('=')[1] ?? '')));

interface Row {
  readonly node: readonly Part<Node>[];
  readonly desired?: DesiredNoExecute;
  /** The whole list afterwards, each with its time where it is not the present; undefined: nothing to write. */
  readonly taints: readonly string[] | undefined;
}

const key = (name: string, effect = 'NoSchedule') => `node.kubernetes.io/${name}:${effect}`;

const rows: Readonly<Record<string, Row>> = {
  'node-lifecycle C1 a ready node without a network': {
    node: [says('Ready=True', 'NetworkUnavailable=True')],
    taints: [key('network-unavailable')],
  },
  'node-lifecycle C2 a node that is not ready, tainted by C1 before': {
    node: [says('Ready=False'), tainted(key('network-unavailable'), '0s')],
    taints: [key('not-ready')],
  },
  'node-lifecycle C3 an unresponsive node, tainted by C2 before': {
    node: [says('Ready=Unknown'), tainted(key('not-ready'), '0s')],
    taints: [key('unreachable')],
  },
  'node-lifecycle C1 once more: the network is there again, the node ready': {
    node: [says('Ready=True', 'NetworkUnavailable=False'), tainted(key('unreachable'), '0s')],
    taints: [],
  },
  'every pressure, and cordoned': {
    node: [says('Ready=True', 'MemoryPressure=True', 'DiskPressure=True', 'PIDPressure=True'), cordoned],
    taints: [key('memory-pressure'), key('disk-pressure'), key('pid-pressure'), key('unschedulable')],
  },
  'an unresponsive node loses its pressure taints': {
    node: [says('Ready=Unknown', 'DiskPressure=Unknown'), tainted(key('disk-pressure'), '-1h')],
    taints: [key('unreachable')],
  },
  'a ready node has nothing to be written': { node: [says('Ready=True')], taints: undefined },
  'a node without conditions has nothing to be written': { node: [says()], taints: undefined },
  'a taint of ours that no condition justifies is taken off, whoever put it on': {
    node: [says('Ready=True'), tainted('node.kubernetes.io/disk-pressure=mine:NoSchedule', '-1h')],
    taints: [],
  },
  'a value of its own does not make it another taint': {
    node: [says('Ready=True', 'DiskPressure=True'), tainted('node.kubernetes.io/disk-pressure=mine:NoSchedule', '-1h')],
    taints: undefined,
  },
  'foreign taints keep their place, value and time': {
    node: [
      says('Ready=False'),
      tainted('a=b:NoExecute', '-1h'),
      tainted(key('unreachable'), '-1h'),
      tainted('c:NoSchedule'),
      tainted('node.kubernetes.io/out-of-service=nodeshutdown:NoExecute', '-2h'),
    ],
    taints: [
      'a=b:NoExecute at -1h',
      'c:NoSchedule without time',
      'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute at -2h',
      key('not-ready'),
    ],
  },
  'what is desired comes true': {
    node: [says('Ready=Unknown')],
    desired: UNREACHABLE,
    taints: [key('unreachable'), UR],
  },
  'what is desired is there already': {
    node: [says('Ready=Unknown'), tainted(key('unreachable'), '-1h'), tainted(UR, '-1h')],
    desired: UNREACHABLE,
    taints: undefined,
  },
  'not-ready becomes unreachable and keeps its start': {
    node: [says('Ready=Unknown'), tainted(NR, '-1h'), tainted(key('unreachable'), '-1h')],
    desired: UNREACHABLE,
    taints: [`${key('unreachable')} at -1h`, `${UR} at -1h`],
  },
  'unreachable becomes not-ready and keeps its start': {
    node: [says('Ready=False'), tainted(UR, '-1h'), tainted(key('not-ready'), '-1h')],
    desired: NOT_READY,
    taints: [`${key('not-ready')} at -1h`, `${NR} at -1h`],
  },
  'of both, left by an exchange of the reference, the wrong one goes': {
    node: [says('Ready=Unknown'), tainted(NR, '-1h'), tainted(UR, '0s'), tainted(key('unreachable'), '0s')],
    desired: UNREACHABLE,
    taints: [UR, key('unreachable')],
  },
  'neither is desired': {
    node: [says('Ready=True'), tainted(NR, '-1h'), tainted(UR, '-1h'), tainted('x:NoExecute', '-1h')],
    desired: 'none',
    taints: ['x:NoExecute at -1h'],
  },
  'waiting for its turn': { node: [says('Ready=Unknown'), tainted(key('unreachable'), '0s')], taints: undefined },
};

describe('the taints that a node should have', () => {
  for (const [name, { node: parts, desired = 'keep', taints }] of Object.entries(rows)) {
    it(name, () => {
      const before = node('n1', ...parts);
      const wanted = desiredTaints(before, desired, START);
      assert.deepEqual(wanted?.map(shown), taints);
      for (const taint of wanted ?? []) {
        const same = before.taints.find(
          (it) => formatTaint(it) === formatTaint(taint) && it.timeAdded === taint.timeAdded,
        );
        if (same) assert.equal(taint, same, 'a taint that stays is the same object');
      }
    });
  }

  it('writes times in whole seconds, never before the present', () => {
    const [taint] = desiredTaints(node('n1', says('Ready=False')), 'keep', START + 1) ?? [];
    assert.equal(taint?.timeAdded, stamp('1s'));
  });
});

function shown(taint: Taint): string {
  const time = taint.timeAdded;
  if (time === undefined) return `${formatTaint(taint)} without time`;
  if (time === stamp('0s')) return formatTaint(taint);
  return `${formatTaint(taint)} at ${time === stamp('-1h') ? '-1h' : time === stamp('-2h') ? '-2h' : time}`;
}
