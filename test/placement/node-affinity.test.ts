import assert from 'node:assert/strict';
import { createPlacement } from '../../src/placement/fit.ts';
import {
  labels,
  namespaceObject,
  nodeSelector,
  noLabels,
  pod,
  prefersNode,
  requiresNode,
  snapshot,
  spec,
  term,
} from '../builders/cluster.ts';
import { filterRows, room } from './filter-rows.ts';

const broken = { matchExpressions: [{ key: 'g', operator: 'Gt', values: ['x'] }], matchFields: [] };
const notNamed = (name: string) => ({
  matchExpressions: [],
  matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: [name] }],
});
const ssdOnly = { addedAffinity: { required: [term('disk=ssd')], preferred: [] } };

describe('placement: node affinity (rule S6)', () => {
  filterRows([
    {
      id: 'SF-33 nodeSelector',
      cluster: [room('n1', labels({ disk: 'hdd' })), room('n2', labels({ disk: 'ssd' }))],
      pod: pod('p', nodeSelector({ disk: 'ssd' })),
      ours: { n1: 'node-affinity', n2: '' },
    },
    {
      id: 'SF-34 nodeSelector and a required term',
      cluster: [room('n1', labels({ disk: 'ssd' })), room('n2', labels({ disk: 'ssd', gen: '2' }))],
      pod: pod('p', nodeSelector({ disk: 'ssd' }), requiresNode(term('gen in (2)'))),
      ours: { n1: 'node-affinity', n2: '' },
    },
    {
      id: 'SF-35 one of two terms',
      cluster: [room('n1', labels({ a: '1' })), room('n2', labels({ b: '1' })), room('n3')],
      pod: pod('p', requiresNode(term('a in (1)'), term('b'))),
      ours: { n1: '', n2: '', n3: 'node-affinity' },
    },
    {
      id: 'SF-36 an absent label is not in any list',
      cluster: [room('n1')],
      pod: pod('p', requiresNode(term('a notin (1),!b'))),
      ours: { n1: '' },
    },
    {
      id: 'SF-37 an empty term matches nothing',
      cluster: [room('n1')],
      pod: pod('p', requiresNode(term(''))),
      ours: { n1: 'node-affinity' },
    },
    {
      id: 'SF-38 Gt wants a number',
      cluster: [
        room('n1', labels({ g: '8' })),
        room('n2', labels({ g: '4' })),
        room('n3', labels({ g: 'x' })),
        room('n4'),
      ],
      pod: pod('p', requiresNode(term('g>4'))),
      ours: { n1: '', n2: 'node-affinity', n3: 'node-affinity', n4: 'node-affinity' },
    },
    {
      id: 'SF-39 leading zeros are fine, fractions are not',
      cluster: [room('n1', labels({ g: '007' })), room('n3', labels({ g: '3.5' }))],
      pod: pod('p', requiresNode(term('g<08'))),
      ours: { n1: '', n3: 'node-affinity' },
    },
    {
      id: 'SF-40 a field that excludes a name',
      cluster: [room('n1'), room('n2')],
      pod: pod('p', requiresNode(notNamed('n2'))),
      ours: { n1: '', n2: 'node-affinity' },
    },
    {
      id: 'SF-41 only a node that is gone is named',
      cluster: [room('n1')],
      pod: pod('p', requiresNode(term('', 'gone'))),
      ours: { n1: 'not-named' },
    },
    {
      id: 'SF-42 names that contradict each other',
      cluster: [room('n1'), room('n2')],
      pod: pod('p', requiresNode(term('', 'n1', 'n2'))),
      ours: { n1: 'node-conflict', n2: 'node-conflict' },
    },
    {
      id: 'SF-43 a broken term beside a good one',
      cluster: [room('n1', labels({ g: '9' }))],
      pod: pod('p', requiresNode(broken, term('g'))),
      ours: { n1: '' },
    },
    {
      id: 'SF-113 addedAffinity of the profile',
      cluster: [room('n1', labels({ disk: 'hdd' })), room('n2', labels({ disk: 'ssd' }))],
      pod: pod('p'),
      options: ssdOnly,
      ours: { n1: 'added-affinity', n2: '' },
    },
    {
      id: 'SF-121 a broken preferred term, two nodes',
      cluster: [room('n1'), room('n2')],
      pod: pod('p', prefersNode(1, broken)),
      ours: { n1: 'node-affinity', n2: 'node-affinity' },
    },
    {
      id: 'SF-122 a broken preferred term, one node; ours: refused all the same',
      cluster: [room('n1')],
      pod: pod('p', prefersNode(1, broken)),
      ours: { n1: 'node-affinity' },
      reference: { n1: '' },
    },
    {
      id: 'a list without terms matches nothing',
      cluster: [room('n1')],
      pod: pod('p', spec({ requiredNodeAffinity: [] })),
      ours: { n1: 'node-affinity' },
    },
    {
      id: 'the node selector of an OpenShift project is asked of the replacement',
      cluster: [
        room('n1', labels({ pool: 'east' })),
        room('n2', labels({ pool: 'west' })),
        namespaceObject('default', {}, { 'openshift.io/node-selector': 'pool=west' }),
      ],
      pod: pod('p'),
      ours: { n1: 'node-affinity', n2: '' },
    },
    {
      id: 'a pod that contradicts its project would not be created',
      cluster: [
        room('n1', labels({ pool: 'east' })),
        namespaceObject('default', {}, { 'openshift.io/node-selector': 'pool=west' }),
      ],
      pod: pod('p', nodeSelector({ pool: 'east' })),
      ours: { n1: 'node-affinity' },
    },
  ]);

  it('says which pair is missing, which names are asked and which term is broken', () => {
    const cluster = snapshot(room('n1', noLabels, labels({ disk: 'hdd' })));
    const placement = createPlacement(cluster, ssdOnly);
    const plain = createPlacement(cluster);
    const [n1] = cluster.nodes;
    const texts = [
      placement.misfits(pod('p1'), n1!),
      plain.misfits(pod('p2', nodeSelector({ disk: 'ssd' })), n1!),
      plain.misfits(pod('p3', nodeSelector({ gen: '2' })), n1!),
      plain.misfits(pod('p4', requiresNode(term('gen'))), n1!),
      plain.misfits(pod('p5', requiresNode(term('', 'n7'))), n1!),
      plain.misfits(pod('p6', prefersNode(1, broken)), n1!),
    ].map((misfits) => misfits.map(({ text }) => text));
    assert.deepEqual(texts, [
      ["does not match the scheduler profile's addedAffinity"],
      ['node selector disk=ssd is not met, the node has hdd'],
      ['node selector gen=2 is not met, the node has no such label'],
      ['matches no required node affinity term'],
      ['required node affinity names n7'],
      [
        'the scheduler cannot place default/p6: a preferred node affinity term is broken (Gt on "g" needs exactly one value, a whole number)',
      ],
    ]);
  });
});
