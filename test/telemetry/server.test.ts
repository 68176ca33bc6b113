import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { serve, type ServeOptions, type TlsSettings } from '../../src/telemetry/server.ts';

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
    assert.match(
      body,
      /^descheduler_build_info\{GoVersion="",AppVersion="1.2.3",DeschedulerVersion="1.2.3",GitBranch="",GitSha1=""\} 1$/mu,
    );
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

describe('what is served holds', () => {
  for (const target of ['//', '/%00', '/healthz/../metrics', '/HEALTHZ', '/healthz/', '/..%2f..%2fetc/passwd', '*']) {
    it(`404 for ${target}`, async () => {
      assert.deepEqual(await ask({ ...wellbeing, metrics: createMetrics('1') }, 'GET', target), [404, 'not found']);
    });
  }

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    it(`405 for ${method}`, async () => {
      assert.deepEqual(await ask(wellbeing, method, '/healthz'), [405, 'only GET is served']);
    });
  }

  it('answers while 300 connections never end their request', async () => {
    await serving({}, async (port) => {
      const slow = Array.from({ length: 300 }, () => connect(port, '127.0.0.1'));
      await Promise.all(slow.map((socket) => once(socket, 'connect')));
      for (const socket of slow) socket.on('error', () => undefined).write('GET /healthz HTTP/1.1\r\nhost: a\r\nx: ');
      assert.equal((await raw(port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).status, 200);
      for (const socket of slow) socket.destroy();
    });
  });

  for (const [row, head] of [
    ['a body of 50 MB', 'POST /metrics HTTP/1.1\r\nhost: a\r\ncontent-length: 50000000\r\n\r\n'],
    ['a body of 50 MB of a GET', 'GET /healthz HTTP/1.1\r\nhost: a\r\ncontent-length: 50000000\r\n\r\n'],
    ['a body without an end', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n'],
  ] as const) {
    it(`${row} is answered and not read to its end`, async () => {
      await serving({}, async (port) => {
        const { status, isClosed } = await raw(port, head);
        assert.deepEqual([status, isClosed], [head.startsWith('GET') ? 200 : 405, true]);
      });
    });
  }

  it('headers beyond 16 KB are refused', async () => {
    await serving({}, async (port) => {
      assert.equal((await raw(port, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`)).status, 431);
    });
  });

  it('what is no HTTP is refused', async () => {
    await serving({}, async (port) => {
      assert.equal((await raw(port, 'SSH-2.0-OpenSSH_9.2\r\n\r\n')).status, 400);
    });
  });

  it('without an address answers on IPv4, and on IPv6 where there is one', async () => {
    await serving({ address: undefined }, async (port) => {
      const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
      const hosts = ['127.0.0.1', ...(addresses.some(({ address }) => address === '::1') ? ['::1'] : [])];
      for (const host of hosts) assert.equal((await raw(port, 'GET /healthz HTTP/1.0\r\n\r\n', host)).status, 200);
    });
  });

  for (const [version, isTaken] of [
    ['TLSv1', false],
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ] as const) {
    it(`${version} is ${isTaken ? 'taken' : 'refused'}`, async () => {
      await serving({ tls: 'self-signed' }, async (port) => {
        const ciphers = 'DEFAULT@SECLEVEL=0';
        const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ciphers };
        const socket = tls.connect({ ...options, minVersion: version, maxVersion: version });
        const spoken = await Promise.race([once(socket, 'secureConnect').then(() => true), failed(socket)]);
        assert.equal(spoken, isTaken);
        socket.destroy();
      });
    });
  }

  it('takes what the flags say of TLS: the least version, suites, curves', async () => {
    const speaks = (tlsSettings: TlsSettings, client: tls.ConnectionOptions) =>
      serving({ tls: 'self-signed', tlsSettings }, async (port) => {
        const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...client });
        const spoken = await Promise.race([once(socket, 'secureConnect').then(() => true), failed(socket)]);
        said.push(spoken ? `${socket.getProtocol()} ${socket.getCipher().name}` : 'refused');
        socket.destroy();
      });
    const said: string[] = [];
    await speaks({ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' });
    await speaks({ minVersion: 'TLSv1.3' }, {});
    await speaks({ ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }, { maxVersion: 'TLSv1.2' });
    await speaks(
      { ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
    );
    await speaks({ ecdhCurve: 'P-384' }, { ecdhCurve: 'X25519' });
    assert.deepEqual(said, [
      'refused',
      'TLSv1.3 TLS_AES_256_GCM_SHA384',
      'TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384',
      'refused',
      'refused',
    ]);
  });

  it('shows another certificate to clients that ask for its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-serving-'));
    const pair = async (name: string) => {
      const made = await generate([{ name: 'commonName', value: name }], {
        keyType: 'ec',
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: `${name}.example` }] }],
      });
      const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
      writeFileSync(files.certFile, made.cert);
      writeFileSync(files.keyFile, made.private);
      return files;
    };
    const sni = [
      { ...(await pair('own')), names: [] },
      { ...(await pair('given')), names: ['asked.example'] },
    ];
    await serving({ tls: await pair('first'), tlsSettings: { sni } }, async (port) => {
      assert.equal(await commonName(port, 'other.example'), 'first');
      assert.equal(await commonName(port, 'own.example'), 'own');
      assert.equal(await commonName(port, 'asked.example'), 'given');
    });
    rmSync(folder, { recursive: true });
  });

  it('takes a certificate that is replaced on disk, and keeps the last one that could be used', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-serving-'));
    const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    const write = async (name: string) => {
      const made = await generate([{ name: 'commonName', value: name }], { keyType: 'ec' });
      writeFileSync(files.certFile, made.cert);
      writeFileSync(files.keyFile, made.private);
    };
    await write('first');
    await serving({ tls: files }, async (port) => {
      assert.equal(await commonName(port), 'first');
      await write('second one');
      assert.equal(await commonName(port), 'second one');
      writeFileSync(files.certFile, 'half a certif');
      assert.equal(await commonName(port), 'second one');
      rmSync(files.keyFile);
      assert.equal(await commonName(port), 'second one');
      await write('the third');
      assert.equal(await commonName(port), 'the third');
    });
    rmSync(folder, { recursive: true });
  });
});

async function serving(options: Partial<ServeOptions>, work: (port: number) => Promise<void>): Promise<void> {
  const base = { address: '127.0.0.1', port: 0, tls: 'plain', metrics: undefined, ...wellbeing } as const;
  const server = await serve({ ...base, ...options });
  try {
    await work(server.port);
  } finally {
    await server.close();
  }
}

/** Sends bytes and reads until the first line of an answer is there and the server has closed, or answered in full. */
async function raw(port: number, bytes: string, host = '127.0.0.1') {
  const socket = connect(port, host);
  socket.on('error', () => undefined);
  socket.write(bytes);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  await once(socket, 'close');
  return { status: Number(/^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1]), isClosed: socket.destroyed };
}

async function commonName(port: number, servername?: string): Promise<string | undefined> {
  const asked = servername === undefined ? {} : { servername };
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...asked });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return typeof CN === 'string' ? CN : undefined;
}

function failed(socket: tls.TLSSocket): Promise<boolean> {
  return new Promise((resolve) => socket.once('error', () => resolve(false)));
}

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
