import assert from 'node:assert/strict';
import { probeServer } from '../../src/kube/probe.ts';
import { converse, HastyClock, status, type Reply } from './conversation.ts';

const eviction = { name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1' };
const core: Reply = { body: { kind: 'APIResourceList', resources: [{ name: 'pods' }, eviction] } };
const version = (minor: string, gitVersion = `v1.${minor}.0`): Reply => ({ body: { major: '1', minor, gitVersion } });

describe('the first words with a server', () => {
  const fine: readonly (readonly [string, readonly Reply[], readonly string[]])[] = [
    ['a server that can all', [core, version('36')], []],
    ['the oldest', [core, version('27')], []],
    ['too old', [core, version('26')], ['Kubernetes v1.26.0 is older than 1.27, the oldest that is supported']],
    ["a vendor's suffix", [core, version('33+', 'v1.33.1-eks-1')], []],
    ['a little newer', [core, version('39')], []],
    [
      'much newer',
      [core, version('40')],
      ['Kubernetes v1.40.0 is much newer than 1.36, which this version is tested with: upgrade evenkeel'],
    ],
    [
      'a version that nobody can read',
      [core, version('?')],
      ['the API server does not tell its version: Kubernetes 1.27 and later are supported'],
    ],
    ['discovery that is closed to us: lists will show', [status(403, 'forbidden'), status(403, 'forbidden')], []],
    ['a server that fails at first', [status(503, 'starting'), { cut: 'at once' }, core, version('36')], []],
  ];
  for (const [row, replies, warnings] of fine) {
    it(row, async () => assert.deepEqual((await probe(replies)).warnings, warnings));
  }

  const bad: readonly (readonly [string, readonly Reply[], RegExp])[] = [
    [
      '7.2 number 12: no eviction API',
      [{ body: { resources: [{ name: 'pods' }] } }],
      /^http:\S+ offers no eviction of pods: policy\/v1 is needed, which every API server from 1\.22 on has$/,
    ],
    [
      'an eviction API that is too old',
      [{ body: { resources: [{ ...eviction, version: 'v1beta1' }] } }],
      /^http:\S+ offers policy\/v1beta1 only: policy\/v1 is needed/,
    ],
    [
      'credentials that are not accepted',
      [status(401, 'Unauthorized'), status(401, 'Unauthorized')],
      /^cannot use the cluster: http:\S+: Unauthorized\. http:\S+ does not accept these credentials: renew the token/,
    ],
    [
      'a web page',
      [{ body: '<html>welcome</html>' }],
      /^cannot use the cluster: http:\S+: the answer is not JSON\. http:\S+ does not look like a Kubernetes API server/,
    ],
    [
      'another API',
      [{ body: { hello: 'world' } }],
      /the answer is not a list of API resources\. http:\S+ does not look like a Kubernetes API server/,
    ],
    [
      'a page that says no',
      [{ status: 404, body: 'nothing here' }],
      /HTTP 404: nothing here\. http:\S+ does not look like/,
    ],
    ['a redirect to a login', [{ status: 302, body: '' }], /HTTP 302\. http:\S+ does not look like/],
    [
      'a server that keeps failing',
      Array.from({ length: 5 }, () => status(500, 'etcd')),
      /^cannot use the cluster: http:\S+: etcd\. Check the address, and that http:\S+ can be reached and is healthy$/,
    ],
    [
      'a server that is half dead: it takes the call and says nothing',
      [{ hang: 'at once' }],
      /^cannot use the cluster: no answer from http:\S+ within 0\.1 s\. Check the address, and that it can be reached and is healthy$/,
    ],
    [
      'a server that is half dead: it begins to answer and stops',
      [{ hang: 'after head', body: 'abc' }],
      /^cannot use the cluster: http:\S+: the answer stopped coming\. Check the address/,
    ],
    [
      'a server that hangs up',
      Array.from({ length: 5 }, () => ({ cut: 'at once' as const })),
      /^cannot use the cluster: http:\S+: socket hang up\. Check the address, and that it can be reached and is healthy$/,
    ],
  ];
  for (const [row, replies, message] of bad) {
    it(`${row} ends the cycle`, async () => {
      const { error } = await probe(replies);
      assert.ok(error);
      assert.equal(error.name, 'ClusterError');
      assert.match(error.message, message);
    });
  }

  it('is not waited for long: three tries', async () => {
    const clock = new HastyClock();
    const { heard } = await probe(
      Array.from({ length: 5 }, () => status(500, 'etcd')),
      clock,
    );
    assert.deepEqual(
      [heard, clock.waits],
      [
        ['/api/v1', '/api/v1', '/api/v1'],
        [500, 1_000],
      ],
    );
  });
});

async function probe(replies: readonly Reply[], clock = new HastyClock()) {
  const { result, heard } = await converse(replies, (server) =>
    probeServer(server, { clock, random: () => 0, timeoutMs: replies.some(({ hang }) => hang) ? 100 : 5_000 }).then(
      (warnings) => ({ warnings, error: undefined }),
      (error: unknown) => ({ warnings: undefined, error: error as Error }),
    ),
  );
  return { ...result, heard: heard.map(({ path }) => path) };
}
