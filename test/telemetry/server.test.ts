import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { serve, type ServeOptions } from '../../src/telemetry/server.ts';

const wellbeing = { unhealthy: () => undefined, ready: () => 'the first cycle has not ended yet' };

describe('what is served', () => {
  const rows: readonly (readonly [string, Partial<ServeOptions>, string, string, readonly [number, string]])[] = [
    ['healthy', {}, 'GET', '/healthz', [200, 'ok']],
    ['healthy, as the reference names it', {}, 'GET', '/healthz/Descheduler', [200, 'ok']],
    ['stuck', { unhealthy: () => 'no progress' }, 'GET', '/healthz', [503, 'no progress']],
    ['with a query', {}, 'GET', '/healthz?verbose', [200, 'ok']],
    ['not ready', {}, 'GET', '/readyz', [503, 'the first cycle has not ended yet']],
    ['ready', { ready: () => undefined }, 'GET', '/readyz', [200, 'ok']],
    ['HEAD has no body', {}, 'HEAD', '/healthz', [200, '']],
    ['no metrics where they are switched off', {}, 'GET', '/metrics', [404, 'not found']],
    [
      '7.3: metrics cannot be reset over HTTP',
      { metrics: createMetrics('1') },
      'DELETE',
      '/metrics',
      [405, 'only GET is served'],
    ],
    ['anything else', {}, 'GET', '/', [404, 'not found']],
    ['a path that is none', {}, 'GET', '//', [404, 'not found']],
  ];
  for (const [row, options, method, path, expected] of rows) {
    it(row, async () => assert.deepEqual(await ask({ ...wellbeing, ...options }, method, path), expected));
  }

  it('metrics are Prometheus text', async () => {
    const [code, body] = await ask({ ...wellbeing, metrics: createMetrics('1.2.3') }, 'GET', '/metrics');
    assert.equal(code, 200);
    assert.match(body, /^descheduler_build_info\{AppVersion="1.2.3",DeschedulerVersion="1.2.3"\} 1$/mu);
  });

  it('over HTTPS, with a certificate that is made up', async () => {
    const serving = await serve({
      address: '127.0.0.1',
      port: 0,
      tls: 'self-signed',
      metrics: undefined,
      ...wellbeing,
    });
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const url = `https://127.0.0.1:${serving.port}/healthz`;
      https.get(url, { rejectUnauthorized: false, agent: false }, resolve).on('error', reject);
    });
    assert.equal(await text(response), 'ok');
    await serving.close();
  });

  it('a port that is taken is an error', async () => {
    const options = { address: '127.0.0.1', tls: 'plain' as const, metrics: undefined, ...wellbeing };
    const first = await serve({ ...options, port: 0 });
    await assert.rejects(serve({ ...options, port: first.port }), { code: 'EADDRINUSE' });
    await first.close();
  });

  it('a certificate that cannot be read is an error', async () => {
    const tls = { certFile: '/no/such.crt', keyFile: '/no/such.key' };
    await assert.rejects(serve({ address: '127.0.0.1', port: 0, tls, metrics: undefined, ...wellbeing }), {
      code: 'ENOENT',
    });
  });
});

async function ask(
  options: Pick<ServeOptions, 'unhealthy'> & Partial<ServeOptions>,
  method: string,
  path: string,
): Promise<readonly [number, string]> {
  const serving = await serve({ address: '127.0.0.1', port: 0, tls: 'plain', metrics: undefined, ...options });
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.request({ port: serving.port, method, path, agent: false }, resolve).on('error', reject).end();
  });
  const answer = [response.statusCode ?? 0, await text(response)] as const;
  await serving.close();
  return answer;
}
