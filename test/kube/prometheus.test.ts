import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../../src/kube/http/call.ts';
import { prometheusUsage, type PrometheusServer } from '../../src/kube/prometheus.ts';
import { converse, Folder, play, status, type Reply } from './conversation.ts';

const sample = (instance: string | undefined, value: string) => ({
  metric: instance === undefined ? { job: 'node' } : { instance },
  value: [1_700_000_000, value],
});
const vector = (...result: readonly object[]): Reply => ({
  body: { status: 'success', data: { resultType: 'vector', result } },
});
const QUERY = 'instance:node_cpu:rate:sum';

describe('usage by Prometheus', () => {
  it('UC-2: a sample of 0 to 1 for each node, in whole percent', async () => {
    const { usage, asked } = await ask(
      vector(
        sample('n1', '0.20381818181818104'),
        sample('n2', '0.4245454545454522'),
        sample('n3', '0.5695757575757561'),
      ),
    );
    assert.deepEqual(
      ['n1', 'n2', 'n3', 'n4'].map((name) => usage?.node(name)?.['MetricResource']),
      [20, 42, 56, undefined],
    );
    assert.deepEqual(asked, [`/api/v1/query?query=${encodeURIComponent(QUERY)}`]);
  });

  const problems: readonly (readonly [string, Reply, RegExp])[] = [
    [
      'UC-3: a sample without instance',
      vector(sample(undefined, '0.2')),
      /a sample without the label instance, .*"job":"node"/u,
    ],
    [
      'UC-4: a value beyond 1',
      vector(sample('n1', '1.20381818181818104')),
      /1\.20381818181818104 for n1, which is not between 0 and 1/u,
    ],
    ['a value that is none', vector(sample('n1', 'NaN')), /NaN for n1, which is not between 0 and 1/u],
    [
      'UC-5: a scalar',
      { body: { status: 'success', data: { resultType: 'scalar', result: [1, '0.5'] } } },
      /a scalar, not a vector with one sample for each node/u,
    ],
    [
      'a query that is wrong',
      { status: 400, body: { status: 'error', errorType: 'bad_data', error: 'parse error: unexpected end' } },
      /answered HTTP 400: parse error: unexpected end$/u,
    ],
    [
      'a page of a proxy',
      { status: 502, body: '<html>\n<h1>Bad Gateway</h1></html>' },
      /answered HTTP 502: what is not an answer of Prometheus: <html> <h1>Bad Gateway/u,
    ],
    [
      'a page under a 200',
      { body: '<html>Log in</html>' },
      /answered HTTP 200: what is not an answer of Prometheus: <html>Log in/u,
    ],
    ['nothing at all', { body: '' }, /answered HTTP 200: an empty body$/u],
    ['a connection that is cut', { cut: 'at once' }, /GET http:\S+: \S/u],
    ['no answer', { hang: 'at once' }, /no answer within 0\.1 s$/u],
    ['an answer that stops', { hang: 'after head', body: '{"status":' }, /GET http:\S+: \S/u],
  ];
  for (const [row, reply, expected] of problems) {
    it(`${row} is told with what was asked`, async () => {
      const { problem } = await ask(reply);
      assert.match(problem ?? '', /^from Prometheus cannot be had: GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/query/u);
      assert.match(problem ?? '', expected);
    });
  }

  it('an address that is none', async () => {
    const { problem } = await ask(vector(), { url: 'prometheus:9090' });
    assert.match(problem ?? '', /the url of metricsProviders must begin with http:\/\/ or https:\/\//u);
  });

  describe('with a token', () => {
    const authSecret = { namespace: 'monitoring', name: 'token' };
    const secret = (text: string): Reply => ({
      body: { kind: 'Secret', data: { prometheusAuthToken: Buffer.from(text).toString('base64') } },
    });

    it('of a Secret, read for each query', async () => {
      const { heads } = await ask(vector(sample('n1', '0.5')), { authSecret, secret: secret('t1\n') });
      assert.equal(heads[0]?.['authorization'], 'Bearer t1');
    });

    for (const [row, reply, expected] of [
      [
        'that is missing',
        status(404, 'secrets "token" not found', { name: 'token' }),
        /Secret monitoring\/token with its token cannot be read: secrets "token" not found$/u,
      ],
      [
        'that may not be read',
        status(403, 'secrets is forbidden'),
        /cannot be read: secrets is forbidden; let the service account get it$/u,
      ],
      [
        'without the key',
        { body: { kind: 'Secret', data: { token: 'eA==' } } },
        /has no token under the key prometheusAuthToken$/u,
      ],
      ['with other text', secret('a b'), /holds no token but other text under prometheusAuthToken$/u],
    ] as const) {
      it(`of a Secret ${row}: nothing is asked`, async () => {
        const { problem, asked } = await ask(vector(), { authSecret, secret: reply });
        assert.match(problem ?? '', expected);
        assert.deepEqual(asked, []);
      });
    }

    it('of the pod itself where the policy names none', async () => {
      const folder = new Folder();
      writeFileSync(join(folder.path, 'token'), 'own\n');
      const { heads } = await ask(vector(sample('n1', '0.5')), { accountFolder: folder.path });
      assert.equal(heads[0]?.['authorization'], 'Bearer own');
      folder.remove();
    });
  });
});

interface Asking {
  readonly url?: string;
  readonly authSecret?: PrometheusServer['authSecret'];
  readonly secret?: Reply;
  readonly accountFolder?: string;
}

async function ask(reply: Reply, { url, authSecret, secret = {}, accountFolder = '/no/such/folder' }: Asking = {}) {
  const prometheus = await play([reply]);
  const { result } = await converse([secret], async (server: { readonly call: Call }) =>
    prometheusUsage({ url: url ?? `${prometheus.url}/`, authSecret }, QUERY, {
      ...{ call: server.call, signal: new AbortController().signal, accountFolder, timeoutMs: 100 },
    }),
  );
  prometheus.close();
  const asked = prometheus.heard.map(({ path }) => path);
  const heads = prometheus.heard.map(({ headers }) => headers);
  return 'problem' in result
    ? { problem: result.problem, usage: undefined, asked, heads }
    : { problem: undefined, usage: result.usage, asked, heads };
}
