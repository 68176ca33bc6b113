import assert from 'node:assert/strict';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { qosOf, type Qos } from '../../src/cluster/rules/qos.ts';
import { container, init, limits, pod, requests, spec, status, type Part } from '../builders/cluster.ts';

describe('qosOf (rule T4)', () => {
  const both = { cpu: '1', memory: '1Gi' };
  const rows: readonly [text: string, parts: readonly Part<Pod>[], qos: Qos][] = [
    ['nothing asked, nothing limited', [], 'BestEffort'],
    ['zeros count as nothing', [requests({ cpu: 0, memory: 0 }), limits({ cpu: 0 })], 'BestEffort'],
    ['other resources count as nothing', [requests({ 'ephemeral-storage': 1, 'example.com/gpu': 1 })], 'BestEffort'],
    ['pod-level resources count as nothing', [spec({ podRequests: { cpu: 1 } })], 'BestEffort'],
    ['a request', [requests({ cpu: '1m' })], 'Burstable'],
    ['a limit alone', [limits({ memory: 1 })], 'Burstable'],
    ['a request of an init container', [init('i', { cpu: 1 })], 'Burstable'],
    ['requests equal limits', [requests(both), limits(both)], 'Guaranteed'],
    ['requests below limits', [requests({ ...both, cpu: '500m' }), limits(both)], 'Burstable'],
    ['limits without requests', [limits(both)], 'Burstable'],
    ['one limit lacks', [requests({ cpu: 1 }), limits({ cpu: 1 })], 'Burstable'],
    ['a second container without limits', [requests(both), limits(both), container('b')], 'Burstable'],
    ['an init container without limits', [requests(both), limits(both), init('i')], 'Burstable'],
    ['other resources do not spoil it', [requests({ ...both, 'example.com/gpu': 1 }), limits(both)], 'Guaranteed'],
    ['the status decides', [requests(both), limits(both), status({ qosClass: 'BestEffort' })], 'BestEffort'],
    ['an unknown class in the status', [status({ qosClass: 'Best' }), requests({ cpu: 1 })], 'Burstable'],
    ['no container', [spec({ containers: [] })], 'BestEffort'],
  ];
  for (const [text, parts, qos] of rows) {
    it(`${text}: ${qos}`, () => {
      assert.equal(qosOf(pod('p', ...parts)), qos);
    });
  }

  it('several containers are summed: 1+3 asked, 2+2 allowed', () => {
    const [a, b] = pod('p', container('b')).spec.containers;
    const containers = [
      { ...a!, requests: { cpu: 1, memory: 3 }, limits: { cpu: 2, memory: 2 } },
      { ...b!, requests: { cpu: 3, memory: 1 }, limits: { cpu: 2, memory: 2 } },
    ];
    assert.equal(qosOf(pod('p', spec({ containers }))), 'Guaranteed');
  });
});
