import { labels, pod, priority, requests, spreads, status, terminating } from '../builders/cluster.ts';
import { apart } from '../builders/cluster.ts';
import { filterRows, HOSTNAME, room, ZONE, zoned } from './filter-rows.ts';

const nominated = (nodeName: string) => status({ nominatedNode: nodeName, phase: 'Pending' });

const waiting = [
  room('n1', pod('r', requests({ cpu: 3 }), terminating)),
  pod('nominated', requests({ cpu: 4 }), priority(100), nominated('n1')),
];

describe('placement: nominated pods (rule S6)', () => {
  filterRows([
    {
      id: 'SF-118 a nominated pod of higher priority',
      cluster: waiting,
      pod: pod('p', requests({ cpu: '500m' }), priority(0)),
      ours: { n1: 'cpu' },
    },
    {
      id: 'SF-119 a nominated pod of equal priority',
      cluster: waiting,
      pod: pod('p', requests({ cpu: '500m' }), priority(100)),
      ours: { n1: 'cpu' },
    },
    {
      id: 'SF-120 a nominated pod of lower priority',
      cluster: waiting,
      pod: pod('p', requests({ cpu: '500m' }), priority(200)),
      ours: { n1: '' },
    },
    {
      id: 'a nominated pod repels and is repelled on its own node only',
      cluster: [
        zoned('a1'),
        zoned('a2'),
        pod('nominated', labels({ app: 'x' }), apart('app=y', ZONE), nominated('a1')),
      ],
      pod: pod('p', labels({ app: 'y' })),
      ours: { a1: 'existing-anti', a2: '' },
    },
    {
      id: 'a nominated pod counts in the spread',
      cluster: [
        room('n1'),
        room('n2', pod('x2', labels({ app: 'x' }))),
        pod('nominated', labels({ app: 'x' }), nominated('n1')),
      ],
      pod: pod('p', labels({ app: 'x' }), spreads('app=x', HOSTNAME)),
      ours: { n1: '', n2: 'spread' },
    },
    {
      id: 'two nominated pods raise the smallest count, too',
      cluster: [
        room('n1'),
        pod('first', labels({ app: 'x' }), nominated('n1')),
        pod('second', labels({ app: 'x' }), nominated('n1')),
      ],
      pod: pod('p', labels({ app: 'x' }), spreads('app=x', HOSTNAME)),
      ours: { n1: '' },
    },
    {
      id: 'the node must pass without the nominated pod, too',
      cluster: [
        room('n1', pod('x1', labels({ app: 'x' }))),
        room('n2'),
        pod('nominated', labels({ app: 'x' }), nominated('n2')),
      ],
      pod: pod('p', labels({ app: 'x' }), spreads('app=x', HOSTNAME)),
      ours: { n1: 'spread', n2: '' },
    },
  ]);
});
