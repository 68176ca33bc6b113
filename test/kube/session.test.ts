import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { ApiServer } from '../../src/kube/http/api-server.ts';
import { send } from '../../src/kube/http/call.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { connectBy, Folder, kubeconfig, play, status, type Conversation, type Reply } from './conversation.ts';

/** A server that answers as recorded, how it is reached, and what the session has said. */
class Talk {
  readonly folder = new Folder();
  readonly clock = new VirtualClock(Date.parse('2026-01-15T09:00:00Z'));
  readonly said: string[] = [];
  server!: Conversation;
  api!: ApiServer;

  async begin(replies: readonly Reply[], user: object, tls?: object): Promise<void> {
    this.server = await play(replies, tls);
    this.user(user);
    this.api = connectBy(join(this.folder.path, 'config'), {
      clock: this.clock,
      onCredentials: (failure) => this.said.push(failure?.message ?? 'again'),
    });
  }

  /** Writes the kubeconfig. */
  user(user: object): void {
    const cluster = this.server.url.startsWith('https') ? { 'insecure-skip-tls-verify': true } : {};
    this.folder.write('config', kubeconfig(this.server.url, user, cluster));
  }

  /** Calls after so many seconds; answers with `ok`, or with the kind of the failure. */
  async after(seconds: number): Promise<string> {
    await this.clock.advanceTo(this.clock.now() + seconds * 1000);
    const answer = await send(this.api.call, { method: 'GET', path: '/x' });
    return answer.ok ? 'ok' : answer.failure.kind;
  }

  get tokens(): readonly (string | undefined)[] {
    return this.server.heard.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
  }

  end(): void {
    this.api.close();
    this.server.close();
    this.folder.remove();
  }
}

const ok = (times: number) => Array.from({ length: times }, (): Reply => ({}));
const no = (times: number) => Array.from({ length: times }, () => status(401, 'Unauthorized'));

describe('credentials that cannot be had for a while', () => {
  let talk = new Talk();
  beforeEach(() => {
    talk = new Talk();
  });
  afterEach(() => talk.end());

  it('a token file that is away: what the server takes is used on, and it is said once', async () => {
    const tokenFile = talk.folder.write('token', 'a');
    await talk.begin(ok(5), { tokenFile });
    assert.equal(await talk.after(0), 'ok');
    rmSync(tokenFile);
    assert.deepEqual([await talk.after(10), await talk.after(1), await talk.after(1)], ['ok', 'ok', 'ok']);
    const reason = `the token cannot be read: no such file (${tokenFile})`;
    assert.deepEqual(talk.said, [`no credentials for ${talk.server.url}: ${reason}`]);
    talk.folder.write('token', 'b');
    assert.equal(await talk.after(4), 'ok');
    assert.deepEqual([talk.said.slice(1), talk.tokens], [['again'], ['a', 'a', 'a', 'a', 'b']]);
  });

  it('a clock that is set: the token is read again after ten seconds, no earlier and no later', async () => {
    const tokenFile = talk.folder.write('token', 'a');
    await talk.begin(ok(30), { tokenFile });
    assert.equal(await talk.after(0), 'ok');
    for (const ms of [12_000, 3_600_000, 86_400_000].flatMap((step) => [step, -step])) {
      const before = talk.tokens.at(-1);
      talk.folder.write('token', `after ${ms}`);
      talk.clock.step(ms);
      assert.deepEqual([await talk.after(9), talk.tokens.at(-1)], ['ok', before]);
      assert.deepEqual([await talk.after(1), talk.tokens.at(-1)], ['ok', `after ${ms}`]);
    }
  });

  it('a plugin that fails from its third call on while the server refuses the old token: no call, and no flood of plugins', async () => {
    const exec = plugin(talk.folder);
    await talk.begin([...ok(2), ...no(1), ...ok(1)], { exec });
    assert.deepEqual([await talk.after(0), await talk.after(10)], ['ok', 'ok']);
    talk.folder.write('broken', '');
    assert.equal(await talk.after(10), 'no-credentials');
    for (let second = 0; second < 60; second++) assert.equal(await talk.after(1), 'no-credentials');
    assert.deepEqual(talk.said, [
      `no credentials for ${talk.server.url}: exec plugin ${exec.command}: exit code 1: log in first`,
    ]);
    // Three, one more at once because of the 401, then after 2, 4, 8 s and every 10 s.
    assert.equal(callsOf(talk.folder), 11);
    rmSync(join(talk.folder.path, 'broken'));
    assert.equal(await talk.after(10), 'ok');
    assert.deepEqual(talk.said.slice(1), ['again']);
    assert.deepEqual(talk.tokens, ['token-1', 'token-2', 'token-2', 'token-12']);
  });

  const vanishing: readonly (readonly [string, string, RegExp])[] = [
    ['vanishes', '', /^no credentials for \S+: kubeconfig \S+config cannot be read: no such file/u],
    ['is garbage', '{[', /^no credentials for \S+: kubeconfig \S+config cannot be read: /u],
    ['holds no cluster', 'kind: Pod', /: kubeconfig \S+config holds no clusters and no contexts/u],
  ];
  for (const [row, text, message] of vanishing) {
    it(`a kubeconfig that ${row} when it is read again after a 401`, async () => {
      await talk.begin([...ok(1), ...no(1), ...ok(2)], { token: 'a' });
      assert.equal(await talk.after(0), 'ok');
      if (text === '') rmSync(join(talk.folder.path, 'config'));
      else talk.folder.write('config', text);
      assert.equal(await talk.after(1), 'no-credentials');
      assert.equal(await talk.after(30), 'no-credentials');
      assert.equal(talk.said.length, 1);
      assert.match(talk.said[0] ?? '', message);
      talk.user({ token: 'b' });
      assert.equal(await talk.after(10), 'ok');
      assert.deepEqual([talk.said[1], talk.tokens], ['again', ['a', 'a', 'b']]);
    });
  }

  it('a kubeconfig whose current context has changed meanwhile means the same cluster', async () => {
    const other = await play([]);
    await talk.begin([...no(1), ...ok(1)], { token: 'a' });
    const changed = kubeconfig(talk.server.url, { token: 'b' }) as { readonly [list: string]: readonly object[] };
    const [cluster, context] = [{ server: other.url }, { cluster: 'other', user: 'u' }];
    talk.folder.write('config', {
      ...changed,
      clusters: [...changed['clusters']!, { name: 'other', cluster }],
      contexts: [...changed['contexts']!, { name: 'other', context }],
      'current-context': 'other',
    });
    assert.equal(await talk.after(0), 'ok');
    assert.deepEqual([talk.tokens, other.heard.length], [['a', 'b'], 0]);
    other.close();
  });

  it('a server that refuses everybody is asked twice, and no more often than it is called after that', async () => {
    await talk.begin(no(9), { token: 'a' });
    const kinds = [await talk.after(0), await talk.after(1), await talk.after(1), await talk.after(10)];
    assert.deepEqual(new Set(kinds), new Set(['unauthorized']));
    assert.equal(talk.server.heard.length, 2 + 1 + 1 + 2);
  });

  const unusable: readonly (readonly [string, object, RegExp])[] = [
    ['a token that no header can hold', { token: 'a\nb' }, /Invalid character in header content \["Authorization"\]/u],
    [
      'a client certificate that is none',
      { 'client-certificate-data': 'AAAA', 'client-key-data': 'AAAA' },
      /^the certificates or the proxy for https:\S+ cannot be used: .*; check certificate-authority/u,
    ],
    [
      'a client certificate without its file',
      { 'client-certificate': '/no/such', 'client-key': '/no/such' },
      /: the client certificate cannot be read: no such file/u,
    ],
    ['a provider that is not supported', { 'auth-provider': { name: 'gcp' } }, /"gcp" is not supported: use an exec/u],
  ];
  for (const [row, user, message] of unusable) {
    it(`${row}: nothing is sent`, async () => {
      await talk.begin(ok(1), user, await pair('server'));
      assert.equal(await talk.after(0), 'no-credentials');
      assert.match(talk.said.join('\n'), message);
      assert.equal(talk.server.heard.length, 0);
    });
  }

  it('a client certificate that has expired: the next one in its file is taken', async () => {
    const authority = await pair('authority');
    const write = async (notAfterDate: Date) => {
      const ca = { key: authority.key, cert: authority.cert };
      const made = await generate([{ name: 'commonName', value: 'me' }], {
        ca,
        notBeforeDate: new Date(0),
        notAfterDate,
      });
      talk.folder.write('cert', made.cert);
      talk.folder.write('key', made.private);
    };
    await write(new Date('2020-01-01'));
    const tls = { ...authority, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    await talk.begin(ok(1), { 'client-certificate': 'cert', 'client-key': 'key' }, tls);
    // Node.js as a server hangs up.
    assert.equal(await talk.after(0), 'transient');
    await write(new Date('2090-01-01'));
    assert.equal(await talk.after(10), 'ok');
  });

  it('a server that wants a client certificate says so, and means us', async () => {
    const authority = await pair('authority');
    const tls = { ...authority, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    await talk.begin(ok(1), { token: 'a' }, tls);
    const answer = await send(talk.api.call, { method: 'GET', path: '/x' });
    assert.deepEqual(answer.ok ? '' : [answer.failure.kind, answer.failure.message], [
      'unauthorized',
      `${talk.server.url} does not accept our client certificate (tlsv13 alert certificate required)`,
    ]);
  });
});

/** A plugin that counts its calls and whose tokens expire at once; it fails while there is a file `broken`. */
function plugin(folder: Folder): { readonly command: string } {
  const command = folder.write(
    'plugin.sh',
    `#!/bin/sh
cd ${folder.path}; echo x >> calls
if [ -e broken ]; then echo log in first >&2; exit 1; fi
echo '{"status":{"expirationTimestamp":"2020-01-01T00:00:00Z","token":"token-'$(wc -l < calls | tr -d ' ')'"}}'
`,
  );
  chmodSync(command, 0o755);
  return { command };
}

function callsOf(folder: Folder): number {
  const file = join(folder.path, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

async function pair(name: string): Promise<{ readonly cert: string; readonly key: string }> {
  const extensions = [{ name: 'basicConstraints', cA: true } as const];
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { extensions });
  return { cert, key };
}
