import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { connect as connectSocket, type AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { send, type ApiRequest } from '../../src/kube/http/call.ts';
import { connectBy, converse, Folder, kubeconfig, play, status } from './conversation.ts';

const get = (path = '/x', more: Partial<ApiRequest> = {}): ApiRequest => ({ method: 'GET', path, ...more });

describe('an API server', () => {
  it('keeps one connection for many calls, failed ones too', async () => {
    const replies = [{ body: 1 }, status(404, 'no'), { body: 2 }, status(500, 'no'), { body: 3 }];
    const { result, connections } = await converse(replies, async (api) => {
      const texts: string[] = [];
      while (texts.length < replies.length) {
        const answer = await send(api.call, get());
        texts.push(answer.ok ? answer.value.toString() : answer.failure.kind);
      }
      return texts;
    });
    assert.deepEqual(result, ['1', 'not-found', '2', 'transient', '3']);
    assert.equal(connections, 1);
  });

  it('says who it is, what it takes, and what it sends', async () => {
    const { heard } = await converse([{}], (api) =>
      send(api.call, { method: 'PATCH', path: '/n?a=b', body: { é: 1 }, contentType: 'application/merge-patch+json' }),
    );
    const [{ method, path, headers, body } = { method: '', path: '', headers: {}, body: '' }] = heard;
    const { accept, authorization } = headers;
    assert.deepEqual(
      { method, path, accept, authorization, agent: headers['user-agent'], type: headers['content-type'], body },
      {
        method: 'PATCH',
        path: '/n?a=b',
        accept: 'application/json',
        authorization: 'Bearer t1',
        agent: 'test',
        type: 'application/merge-patch+json',
        body: { é: 1 },
      },
    );
  });

  it('keeps the path of a server behind a gateway', async () => {
    const folder = new Folder();
    const server = await play([{}]);
    const api = connectBy(folder.write('config', kubeconfig(`${server.url}/k8s/clusters/c-1/`)));
    await send(api.call, get('/api/v1/nodes'));
    assert.equal(server.heard[0]?.path, '/k8s/clusters/c-1/api/v1/nodes');
    closeAll(api, server, folder);
  });

  const failures: readonly (readonly [string, Parameters<typeof play>[0], string, RegExp])[] = [
    ['no answer', [{ hang: 'at once' }], 'timeout', /^no answer from http:\S+ within 0.05 s$/],
    ['half an answer', [{ hang: 'after head', body: 'abc' }], 'timeout', /^the answer stopped coming$/],
    ['a cut connection', [{ cut: 'at once' }], 'transient', /^http:\S+: socket hang up$/],
    ['an error that goes on and on', [{ status: 500, body: 'x'.repeat(3_000_000) }], 'transient', /^HTTP 500$/],
    ['a cut answer', [{ cut: 2, body: 'abc' }], 'transient', /^the connection was cut in the middle of an answer$/],
  ];
  for (const [row, script, kind, message] of failures) {
    it(`${row} is ${kind}`, async () => {
      const { result } = await converse(script, (api) => send(api.call, get('/x', { timeoutMs: 50 })));
      assert.ok(!result.ok);
      assert.equal(result.failure.kind, kind);
      assert.match(result.failure.message, message);
    });
  }

  it('a server that refuses the connection is transient', async () => {
    const folder = new Folder();
    const server = await play([]);
    server.close();
    const api = connectBy(folder.write('config', kubeconfig(server.url)));
    const answer = await send(api.call, get());
    assert.deepEqual(answer.ok ? '' : [answer.failure.kind, answer.failure.message], [
      'transient',
      `${server.url}: connection refused`,
    ]);
    closeAll(api, server, folder);
  });

  it('a call that is given up before it starts sends nothing that counts', async () => {
    const { result } = await converse([{}], (api) => send(api.call, get('/x', { signal: AbortSignal.abort() })));
    assert.equal(result.ok ? '' : result.failure.kind, 'aborted');
  });

  it('streams what comes as it comes', async () => {
    const { result } = await converse([{ body: 'abcdef', cut: 3 }], async (api) => {
      const answer = await api.call(get('/x', { streams: true }));
      assert.ok(answer.ok);
      answer.value.on('error', () => undefined);
      const [chunk] = (await once(answer.value, 'data')) as [Buffer];
      return chunk.toString();
    });
    assert.equal(result, 'abc');
  });
});

describe('the token', () => {
  it('is read again from its file after a 401, once for all that were refused, on the same connections', async () => {
    const folder = new Folder();
    const tokenFile = folder.write('token', 'old\n');
    const server = await play([status(401, 'Unauthorized'), status(401, 'Unauthorized'), { body: 1 }, { body: 2 }]);
    const api = connectBy(folder.write('config', kubeconfig(server.url, { tokenFile })));
    folder.write('token', 'old\n');
    const both = [send(api.call, get('/a')), send(api.call, get('/b'))];
    while (server.heard.length < 1) await new Promise((resolve) => setImmediate(resolve));
    folder.write('token', 'new\n');
    const answers = await Promise.all(both);
    assert.deepEqual(
      answers.map(({ ok }) => ok),
      [true, true],
    );
    assert.deepEqual(
      server.heard.map(({ headers }) => headers.authorization),
      ['Bearer old', 'Bearer old', 'Bearer new', 'Bearer new'],
    );
    assert.equal(server.connections(), 2);
    closeAll(api, server, folder);
  });

  it('that stays refused is a failure, not a loop', async () => {
    const { result, heard } = await converse([status(401, 'no'), status(401, 'no'), {}], (api) =>
      send(api.call, get()),
    );
    assert.equal(result.ok ? '' : result.failure.kind, 'unauthorized');
    assert.equal(heard.length, 2);
  });
});

describe('certificates', () => {
  it('of a server that nobody has vouched for are not accepted, and never will be', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
    const { answer } = await secure({ cert, key }, {});
    assert.ok(!answer.ok);
    assert.equal(answer.failure.kind, 'certificate');
    assert.match(answer.failure.message, /is not accepted \(.*\): check certificate-authority and the server's name/);
  });

  it('of a server are checked against the authority of the kubeconfig', async () => {
    const { cert, private: key } = await serverPair();
    const { answer } = await secure({ cert, key }, { 'certificate-authority-data': base64(cert) });
    assert.ok(answer.ok);
  });

  it('for another name are not accepted', async () => {
    const { cert, private: key } = await serverPair();
    const cluster = { 'certificate-authority-data': base64(cert), 'tls-server-name': 'elsewhere.example' };
    const { answer } = await secure({ cert, key }, cluster);
    assert.equal(answer.ok ? '' : answer.failure.kind, 'certificate');
  });

  it('are not looked at with insecure-skip-tls-verify', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'other' }]);
    const { answer } = await secure({ cert, key }, { 'insecure-skip-tls-verify': true });
    assert.ok(answer.ok);
  });

  it('of a client are shown to the server', async () => {
    const server = await serverPair();
    const client = await generate([{ name: 'commonName', value: 'me' }], {
      ca: { key: server.private, cert: server.cert },
    });
    const user = { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.private) };
    const tls = {
      cert: server.cert,
      key: server.private,
      ca: server.cert,
      requestCert: true,
      rejectUnauthorized: true,
    };
    const cluster = { 'certificate-authority-data': base64(server.cert) };
    assert.ok((await secure(tls, cluster, user)).answer.ok);
    assert.equal((await secure(tls, cluster)).answer.ok, false);
  });
});

describe('proxies', () => {
  const saved = { ...process.env };
  afterEach(() => {
    for (const name of ['HTTPS_PROXY', 'NO_PROXY']) {
      if (saved[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = saved[name];
    }
  });

  it('HTTPS_PROXY carries the connection, which stays one', async () => {
    const proxy = await startProxy();
    process.env['HTTPS_PROXY'] = proxy.url;
    const { cert, private: key } = await serverPair();
    const { answer, server } = await secure({ cert, key }, { 'certificate-authority-data': base64(cert) }, {}, 3);
    assert.ok(answer.ok);
    assert.deepEqual(proxy.targets, [new URL(server).host]);
    proxy.close();
  });

  it('NO_PROXY goes without', async () => {
    const proxy = await startProxy();
    Object.assign(process.env, { HTTPS_PROXY: proxy.url, NO_PROXY: '10.0.0.0/8,127.0.0.1' });
    const { cert, private: key } = await serverPair();
    const { answer } = await secure({ cert, key }, { 'certificate-authority-data': base64(cert) });
    assert.ok(answer.ok);
    assert.deepEqual(proxy.targets, []);
    proxy.close();
  });

  it('proxy-url of the kubeconfig counts more than the environment', async () => {
    const [proxy, other] = [await startProxy(), await startProxy()];
    process.env['HTTPS_PROXY'] = other.url;
    const { cert, private: key } = await serverPair();
    const cluster = { 'certificate-authority-data': base64(cert), 'proxy-url': proxy.url };
    const { answer, server } = await secure({ cert, key }, cluster);
    assert.ok(answer.ok);
    assert.deepEqual([proxy.targets, other.targets], [[new URL(server).host], []]);
    proxy.close();
    other.close();
  });
});

function serverPair() {
  return generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
}

/** Calls a server over TLS, some times on end, and answers with the last answer. */
async function secure(tls: object, cluster: object, ...[user, times = 1]: readonly [object?, number?]) {
  const folder = new Folder();
  const server = await play(
    Array.from({ length: times }, () => ({})),
    tls,
  );
  const api = connectBy(folder.write('config', kubeconfig(server.url, user, cluster)));
  let answer = await send(api.call, get());
  for (let time = 1; time < times; time++) answer = await send(api.call, get());
  closeAll(api, server, folder);
  return { answer, server: server.url };
}

/** A proxy that connects and looks at nothing. */
async function startProxy(): Promise<{ url: string; targets: string[]; close: () => void }> {
  const targets: string[] = [];
  const server = http.createServer();
  server.on('connect', ({ url = '' }, client) => {
    targets.push(url);
    const [host = '', port = ''] = url.split(':');
    const upstream = connectSocket(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    upstream.pipe(client).pipe(upstream);
    for (const socket of [upstream, client]) socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, targets, close: () => server.close() };
}

function closeAll(api: { close(): void }, server: { close(): void }, folder: Folder): void {
  api.close();
  server.close();
  folder.remove();
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
