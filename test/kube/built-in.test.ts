import assert from 'node:assert/strict';
import { findBuiltIns, switchedOn, type BuiltInFindings } from '../../src/kube/built-in.ts';
import * as given from '../builders/cluster.ts';
import { converse, page, status, type Reply, type Script } from './conversation.ts';

const NOW = Date.parse('2026-01-15T09:00:00Z');
const PODS = '/api/v1/namespaces/kube-system/pods';
const EVENTS = '/api/v1/events';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const BOTH = ['node-lifecycle-controller', 'taint-eviction-controller'] as const;

const manager = (name: string, ...args: readonly string[]) => ({
  metadata: { name },
  spec: { containers: [{ command: ['kube-controller-manager', ...args] }] },
});
const event = (component: string, reason: string, lastTimestamp: string) => ({
  ...{ source: { component }, reason, lastTimestamp },
});
const held = (acquireTime: string): Reply => ({
  body: { spec: { holderIdentity: 'cp-1', acquireTime, renewTime: '2026-01-15T08:59:58.000000Z' } },
});
/** One list of events for each speaker: node-controller, taint-eviction-controller, taint-controller. */
const events = (...lists: readonly (readonly object[])[]) => [0, 1, 2].map((i) => page(lists[i] ?? []));

describe('the flags of kube-controller-manager', () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['none: both run', [], BOTH],
    ['all', ['--controllers=*'], BOTH],
    ['both off', ['--controllers=*,-node-lifecycle-controller,-taint-eviction-controller'], []],
    ['the evicter off', ['--controllers=*,-taint-eviction-controller'], ['node-lifecycle-controller']],
    ['node lifecycle off leaves the evicter on', ['--controllers=*,-node-lifecycle-controller'], [BOTH[1]]],
    ['by the old name', ['--controllers=*,-nodelifecycle'], [BOTH[1]]],
    ['only named ones', ['--controllers=job,taint-eviction-controller'], [BOTH[1]]],
    ['neither named', ['--controllers=job'], []],
    ['the later of two counts', ['--controllers=job', '--controllers=*'], BOTH],
    ['the taint manager of old off', ['--enable-taint-manager=false'], [BOTH[0]]],
    [
      'an evicter inside node lifecycle does not listen to its own name',
      ['--feature-gates=SeparateTaintEvictionController=false', '--controllers=*,-taint-eviction-controller'],
      BOTH,
    ],
    [
      'and goes off with it',
      ['--feature-gates=A=true,SeparateTaintEvictionController=false', '--controllers=*,-node-lifecycle-controller'],
      [],
    ],
  ];
  for (const [row, args, expected] of rows) {
    it(row, () => {
      assert.deepEqual(switchedOn(args), expected);
    });
  }
});

describe('looking for the built-in controllers', () => {
  const rows: readonly (readonly [string, Script, BuiltInFindings])[] = [
    [
      'flags that can be seen decide: each replica counts, and events are not asked for',
      {
        [PODS]: [
          page([
            manager('kcm-1', '--controllers=*,-node-lifecycle-controller,-taint-eviction-controller'),
            manager('kcm-2', '--controllers=*,-node-lifecycle-controller'),
          ]),
        ],
      },
      {
        signs: [
          {
            controller: 'taint-eviction-controller',
            sign: 'the flags of pod kube-system/kcm-2 leave it on',
          },
        ],
        unsure: [],
      },
    ],
    [
      'recent events are signs, one for each controller',
      {
        [PODS]: [page([])],
        [EVENTS]: events(
          [event('node-controller', 'RegisteredNode', '2026-01-15T08:30:00Z')],
          [
            event('taint-eviction-controller', 'TaintManagerEviction', '2026-01-15T08:59:00Z'),
            event('taint-eviction-controller', 'TaintManagerEviction', '2026-01-15T08:59:30Z'),
          ],
        ),
      },
      {
        signs: [
          { controller: 'node-lifecycle-controller', sign: 'its event RegisteredNode at 2026-01-15T08:30:00.000Z' },
          {
            controller: 'taint-eviction-controller',
            sign: 'its event TaintManagerEviction at 2026-01-15T08:59:00.000Z',
          },
        ],
        unsure: [],
      },
    ],
    [
      'events of an hour ago say nothing',
      {
        [PODS]: [page([])],
        [EVENTS]: events([], [], [event('taint-controller', 'TaintManagerEviction', '2026-01-15T07:59:59Z')]),
      },
      { signs: [], unsure: [] },
    ],
    [
      'nor do events before kube-controller-manager changed leaders, as it does when its flags change',
      {
        [PODS]: [page([])],
        [LEASE]: [held('2026-01-15T08:45:00.000000Z')],
        [EVENTS]: events([event('node-controller', 'NodeNotReady', '2026-01-15T08:44:00Z')]),
      },
      {
        signs: [],
        unsure: [
          'kube-controller-manager is running, and its flags cannot be seen: make sure that they switch its controllers off',
        ],
      },
    ],
    [
      'what may not be looked at is said',
      { [PODS]: [status(403, 'no')], [EVENTS]: [0, 1, 2].map(() => status(403, 'no')) },
      { signs: [], unsure: ['events cannot be listed, so that the work of kube-controller-manager cannot be seen'] },
    ],
  ];
  for (const [row, script, expected] of rows) {
    it(row, async () => {
      const { result } = await converse(script, ({ call }) =>
        findBuiltIns({ call, now: NOW, ourManager: 'evenkeel', pods: [] }),
      );
      assert.deepEqual(result, expected);
    });
  }

  for (const [manager, signs] of [
    ['kube-controller-manager', ['pod web-1 was marked by kube-controller-manager']],
    ['evenkeel', []],
  ] as const) {
    it(`a pod marked by ${manager} is ${signs.length === 0 ? 'no ' : 'a '}sign`, async () => {
      const conditions = [
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'DeletionByTaintManager',
          transitionAt: NOW,
          heartbeatAt: undefined,
        },
      ];
      const pod = given.pod('web-1', given.namespace('shop'), given.status({ conditions }));
      const fieldsV1 = { 'f:status': { 'f:conditions': { 'k:{"type":"DisruptionTarget"}': {} } } };
      const managedFields = [{ manager, time: '2026-01-15T08:59:00Z', fieldsV1 }];
      const script = {
        [PODS]: [page([])],
        [EVENTS]: events(),
        '/api/v1/namespaces/shop/pods/web-1': [{ body: { metadata: { name: 'web-1', managedFields } } }],
      };
      const { result } = await converse(script, ({ call }) =>
        findBuiltIns({ call, now: NOW, ourManager: 'evenkeel', pods: [pod] }),
      );
      assert.deepEqual(
        result.signs.map(({ sign }) => sign),
        signs,
      );
    });
  }
});
