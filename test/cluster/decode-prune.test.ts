import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decoder, pruneObject } from '../../src/cluster/decode/decode.ts';
import { MARKS } from '../../src/cluster/decode/decode-table.ts';
import { anyApiObject } from './api-objects.ts';

/** Of some annotations decisions read only that they are there: what they say is nobody's business. */
function bare(decoded: unknown): unknown {
  return JSON.parse(
    JSON.stringify(decoded ?? null, (key, value: unknown) => (MARKS.has(key) && value !== 'false' ? '' : value)),
  );
}

describe('pruning an API object', () => {
  it('keeps everything that decoding reads', () => {
    fc.assert(
      fc.property(anyApiObject, (object) => {
        const kind = String(object['kind']);
        const decoded = new Decoder().decodeObject(object);
        assert.deepEqual(bare(new Decoder().decodeObject(pruneObject(kind, object))), bare(decoded));
      }),
      { numRuns: 400 },
    );
  });

  it('drops environment, commands, arguments, managed fields, foreign annotations and volumes nothing reads', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-1',
        namespace: 'shop',
        managedFields: [{ manager: 'kubectl' }],
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'descheduler.alpha.kubernetes.io/evict': 'true',
        },
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: {
        nodeName: 'n1',
        serviceAccountName: 'web',
        containers: [
          {
            name: 'main',
            image: 'web:1',
            command: ['web'],
            args: ['--password=secret'],
            env: [{ name: 'TOKEN', value: 'secret' }],
            resources: { requests: { cpu: '100m' } },
          },
        ],
        volumes: [
          { name: 'token', secret: { secretName: 'token' } },
          { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
        ],
      },
    };
    assert.deepEqual(pruneObject('Pod', pod), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-1',
        namespace: 'shop',
        annotations: { 'descheduler.alpha.kubernetes.io/evict': '' },
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '100m' } } }],
        volumes: [{ name: 'scratch', emptyDir: {} }],
      },
    });
  });

  it('has nothing of a kind that is not read', () => {
    assert.equal(
      pruneObject('Secret', { kind: 'Secret', metadata: { name: 's' }, data: { key: 'c2VjcmV0' } }),
      undefined,
    );
    assert.equal(pruneObject('Pod', 'no object'), undefined);
  });
});
