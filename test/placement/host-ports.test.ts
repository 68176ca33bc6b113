import assert from 'node:assert/strict';
import { createPlacement } from '../../src/placement/fit.ts';
import { hostPort, pod, snapshot, spec, terminating } from '../builders/cluster.ts';
import { filterRows, room } from './filter-rows.ts';

describe('placement: host ports (rule S6)', () => {
  filterRows([
    {
      id: 'SF-44 taken on one node',
      cluster: [room('n1', pod('r', hostPort(8080))), room('n2')],
      pod: pod('p', hostPort(8080)),
      ours: { n1: 'ports', n2: '' },
    },
    {
      id: 'SF-45 another protocol',
      cluster: [room('n1', pod('r', hostPort(8080)))],
      pod: pod('p', hostPort(8080, { protocol: 'UDP' })),
      ours: { n1: '' },
    },
    {
      id: 'SF-46 one address is taken, all are asked',
      cluster: [room('n1', pod('r', hostPort(8080, { ip: '10.0.0.1' })))],
      pod: pod('p', hostPort(8080)),
      ours: { n1: 'ports' },
    },
    {
      id: 'SF-47 all addresses are taken, one is asked',
      cluster: [room('n1', pod('r', hostPort(8080)))],
      pod: pod('p', hostPort(8080, { ip: '10.0.0.1' })),
      ours: { n1: 'ports' },
    },
    {
      id: 'SF-48 :: is an address like any other',
      cluster: [room('n1', pod('r', hostPort(8080, { ip: '::' })))],
      pod: pod('p', hostPort(8080, { ip: '10.0.0.1' })),
      ours: { n1: '' },
    },
    {
      id: "SF-49 on the host's network",
      cluster: [room('n1', pod('r', hostPort(9090)))],
      pod: pod('p', hostPort(9090), spec({ hostNetwork: true })),
      ours: { n1: 'ports' },
    },
    {
      id: 'SF-50 a terminating pod keeps its port',
      cluster: [room('n1', pod('r', hostPort(8080), terminating))],
      pod: pod('p', hostPort(8080)),
      ours: { n1: 'ports' },
    },
  ]);

  it('names the port and who holds it, a promised replacement too', () => {
    const web = pod('web', hostPort(8080));
    const cluster = snapshot(room('n1', web), room('n2'));
    const placement = createPlacement(cluster);
    placement.assume(web, cluster.nodes[1]);
    const other = pod('p', hostPort(8080, { ip: '10.0.0.1' }));
    assert.deepEqual(
      cluster.nodes.map((node) => placement.misfits(other, node)),
      [
        [{ code: 'ports', text: 'host port 8080/TCP is held by default/web' }],
        [{ code: 'ports', text: 'host port 8080/TCP is held by the replacement of default/web' }],
      ],
    );
  });
});
