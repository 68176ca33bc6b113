import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CredentialSource, type Credentials } from '../../src/kube/auth/credentials.ts';
import type { ConnectOptions } from '../../src/kube/auth/kubeconfig.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Folder, kubeconfig } from './conversation.ts';

describe('where the cluster is', () => {
  let folder = new Folder();
  beforeEach(() => {
    folder = new Folder();
  });
  afterEach(() => folder.remove());

  it('--kubeconfig says it', async () => {
    const file = folder.write('config', kubeconfig('https://api.example:6443'));
    assert.deepEqual(await whereAndWho({ kubeconfig: file }), ['https://api.example:6443/', 'Bearer t1']);
  });

  it('--context chooses another entry than the current one', async () => {
    const config = {
      clusters: [entry('a', 'https://a.example'), entry('b', 'https://b.example')],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: ['a', 'b'].map((name) => ({ name, context: { cluster: name, user: 'u' } })),
      'current-context': 'a',
    };
    const file = folder.write('config', config);
    assert.deepEqual(await whereAndWho({ kubeconfig: file, context: 'b' }), ['https://b.example/', 'Bearer t']);
  });

  it('$KUBECONFIG lists files, of which the first counts where names are the same, and missing ones do not', async () => {
    const first = folder.write('one', { ...kubeconfig('https://one.example'), users: [] });
    const second = folder.write('two', kubeconfig('https://two.example', { token: 't2' }));
    const env = { KUBECONFIG: [join(folder.path, 'none'), first, second].join(delimiter) };
    assert.deepEqual(await whereAndWho({ env }), ['https://one.example/', 'Bearer t2']);
  });

  it('~/.kube/config is the last resort', () => {
    const env = { HOME: folder.path };
    assert.throws(() => source({ env }), {
      name: 'ConnectError',
      exitCode: 2,
      message:
        'no cluster to connect to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod with a service account; ' +
        '--from-dump PATH works without a cluster',
    });
  });

  const hosts: readonly (readonly [string, string])[] = [
    ['10.96.0.1', 'https://10.96.0.1/'],
    ['fd00::1', 'https://[fd00::1]/'],
  ];
  for (const [host, url] of hosts) {
    it(`a pod is told its cluster (${host}) and has a service account, whose token is read again when it was refused`, async () => {
      folder.write('ca.crt', 'CA');
      folder.write('token', 'first');
      const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '443', HOME: '/no/such' };
      const creds = source({ env, serviceAccountFolder: folder.path });
      const { server, tls, headers } = await had(creds);
      assert.deepEqual([server.href, String(tls.ca), headers['Authorization']], [url, 'CA', 'Bearer first']);
      folder.write('token', 'second');
      creds.reload();
      assert.equal((await had(creds)).headers['Authorization'], 'Bearer second');
    });
  }

  it('a context says that another cluster is meant than that of the pod', async () => {
    folder.write('token', 'pod');
    const config = folder.write('config', kubeconfig('https://a.example'));
    const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBECONFIG: config };
    const creds = source({ env, context: 'x', serviceAccountFolder: folder.path });
    assert.equal((await had(creds)).headers['Authorization'], 'Bearer t1');
  });

  it('certificates and tokens in files are found beside the kubeconfig', async () => {
    folder.write('ca.crt', 'CA');
    folder.write('token', 'from-file\n');
    const file = folder.write(
      'config',
      kubeconfig('https://a.example', { tokenFile: 'token', token: 'unused' }, { 'certificate-authority': 'ca.crt' }),
    );
    const { tls, headers } = await had(source({ kubeconfig: file }));
    assert.deepEqual([String(tls.ca), headers['Authorization']], ['CA', 'Bearer from-file']);
  });

  const users: readonly (readonly [string, object, object])[] = [
    ['a password', { username: 'me', password: 'pw' }, { Authorization: 'Basic bWU6cHc=' }],
    ['impersonation', { token: 't', as: 'other' }, { Authorization: 'Bearer t', 'Impersonate-User': 'other' }],
    ['nothing at all', {}, {}],
  ];
  for (const [row, user, headers] of users) {
    it(`a user with ${row}`, async () => {
      const file = folder.write('config', kubeconfig('https://a.example', user));
      assert.deepEqual((await had(source({ kubeconfig: file }))).headers, headers);
    });
  }

  describe('what is wrong with it is said with the remedy, exit code 2', () => {
    const whole = kubeconfig('https://a.example');
    const rows: readonly (readonly [string, string | object, Partial<ConnectOptions>, RegExp])[] = [
      ['no YAML', '{[', {}, /^kubeconfig \S+config cannot be read: /],
      ['another file', 'apiVersion: v1\nkind: Pod\n', {}, /holds no clusters and no contexts: is it a kubeconfig\?$/],
      ['empty', '', {}, /holds no clusters and no contexts/],
      ['wrong context', whole, { context: 'y' }, /^kubeconfig \S+config has no context "y"; it has: x$/],
      [
        'no current context',
        { ...whole, 'current-context': '' },
        {},
        /has no current context; name one with --context \(it has: x\)$/,
      ],
      [
        'context of no cluster',
        { ...whole, clusters: [] },
        {},
        /context "x" names the cluster "c", which is not in it$/,
      ],
      ['context of no user', { ...whole, users: [] }, {}, /context "x" names the user "u", who is not in it$/],
      [
        'cluster without address',
        { ...whole, clusters: [{ name: 'c', cluster: {} }] },
        {},
        /cluster.server is missing$/,
      ],
    ];
    for (const [row, content, options, message] of rows) {
      it(row, () => {
        const file = folder.write('config', content);
        assert.throws(() => source({ kubeconfig: file, ...options }), { name: 'ConnectError', exitCode: 2, message });
      });
    }

    it('no such file', () => {
      const file = join(folder.path, 'none');
      const message = `kubeconfig ${file} cannot be read: no such file (${file})`;
      assert.throws(() => source({ kubeconfig: file }), { name: 'ConnectError', exitCode: 2, message });
    });

    it('a folder', () => {
      const message = `kubeconfig ${folder.path} cannot be read: it is a folder`;
      assert.throws(() => source({ kubeconfig: folder.path }), { name: 'ConnectError', exitCode: 2, message });
    });

    it('an address that is none', () => {
      const file = folder.write('config', kubeconfig('not an address'));
      const message = 'cluster "c" of the kubeconfig has no valid server address: "not an address"';
      assert.throws(() => source({ kubeconfig: file }), { name: 'ConnectError', exitCode: 2, message });
    });
  });
});

describe('exec plugins', () => {
  const folder = new Folder();
  after(() => folder.remove());

  it('are asked for a token, told which version is meant, and asked again when it has expired or is refused', async () => {
    const user = { exec: plugin(folder, 'count', 'expirationTimestamp: "2020-01-01T00:00:00Z"') };
    const creds = source({ kubeconfig: folder.write('config', kubeconfig('https://a.example', user)) });
    assert.equal((await had(creds)).headers['Authorization'], 'Bearer v1-1');
    assert.equal((await had(creds)).headers['Authorization'], 'Bearer v1-2');
  });

  it('are not asked again before that', async () => {
    const user = { exec: plugin(folder, 'keep', 'expirationTimestamp: "2999-01-01T00:00:00Z"') };
    const creds = source({ kubeconfig: folder.write('config', kubeconfig('https://a.example', user)) });
    assert.equal((await had(creds)).headers['Authorization'], 'Bearer v1-1');
    assert.equal((await had(creds)).headers['Authorization'], 'Bearer v1-1');
    creds.reload();
    assert.equal((await had(creds)).headers['Authorization'], 'Bearer v1-2');
  });

  const lead = 'no credentials for https://a.example: exec plugin';
  const garbage = 'what it prints is not an ExecCredential with a token or a certificate';
  const rows: readonly (readonly [string, string, string])[] = [
    ['fails', 'echo log in first >&2; exit 3', 'exit code 3: log in first'],
    ['fails without a word', 'exit 1', 'exit code 1'],
    ['prints nothing', '', garbage],
    ['prints garbage', 'echo secret-token', garbage],
    ['prints null', 'echo null', garbage],
    ['prints another object', 'echo "{}"', garbage],
    ['prints a credential without a token', `echo '{"status":{"token":"","expirationTimestamp":null}}'`, garbage],
    ['prints without end', 'yes', 'it prints more than a megabyte'],
  ];
  for (const [row, script, message] of rows) {
    it(`one that ${row} is a failure with its words, and is asked again`, async () => {
      const command = folder.write(`${row.replaceAll(' ', '-')}.sh`, `#!/bin/sh\n${script}\n`);
      chmodSync(command, 0o755);
      const exec = { apiVersion: V1, command };
      const creds = source({ kubeconfig: folder.write('config', kubeconfig('https://a.example', { exec })) });
      assert.equal(await lacking(creds), `${lead} ${command}: ${message}`);
      folder.write(`${row.replaceAll(' ', '-')}.sh`, `#!/bin/sh\necho '{"status":{"token":"t"}}'\n`);
      assert.equal((await had(creds)).headers['Authorization'], 'Bearer t');
    });
  }

  const configs: readonly (readonly [string, unknown])[] = [
    ['no command', {}],
    ['a command that is no text', { command: 5 }],
    ['args that are no list', { command: 'x', args: 'y' }],
    ['env that is no list of names and values', { command: 'x', env: [{ name: 'A' }, null] }],
    ['a list', []],
  ];
  for (const [row, exec] of configs) {
    it(`one with ${row} is a failure that says what is expected`, async () => {
      const file = folder.write('config', kubeconfig('https://a.example', { exec }));
      const expected = 'exec takes a command, a list of args and a list of env with names and values';
      assert.equal(await lacking(source({ kubeconfig: file })), `no credentials for https://a.example: ${expected}`);
    });
  }

  it('one that is not installed is a failure', async () => {
    const exec = { apiVersion: V1, command: '/no/such/plugin' };
    const file = folder.write('config', kubeconfig('https://a.example', { exec }));
    const message = `${lead} /no/such/plugin: spawn /no/such/plugin ENOENT`;
    assert.equal(await lacking(source({ kubeconfig: file })), message);
  });

  it('one beside the kubeconfig is found there', async () => {
    chmodSync(folder.write('beside.sh', `#!/bin/sh\necho '{"status":{"token":"t"}}'\n`), 0o755);
    const exec = { apiVersion: V1, command: './beside.sh' };
    const file = folder.write('config', kubeconfig('https://a.example', { exec }));
    assert.equal((await had(source({ kubeconfig: file }))).headers['Authorization'], 'Bearer t');
  });
});

describe('pipes', () => {
  const folder = new Folder();
  after(() => folder.remove());

  it('hold nobody up where a file is expected', async () => {
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const user of [{ tokenFile: pipe }, { 'client-certificate': pipe, 'client-key': pipe }]) {
      const file = folder.write('config', kubeconfig('https://a.example', user));
      assert.match(await lacking(source({ kubeconfig: file })), /cannot be read: \S+pipe is not a file$/u);
    }
  });

  it('are a kubeconfig that is read once', async () => {
    const pipe = join(folder.path, 'config.pipe');
    execFileSync('mkfifo', [pipe]);
    const content = folder.write('content', kubeconfig('https://a.example'));
    spawn('sh', ['-c', `cat ${content} > ${pipe}`], { stdio: 'ignore' });
    const creds = source({ kubeconfig: pipe });
    assert.equal((await had(creds)).headers['Authorization'], 'Bearer t1');
    creds.reload();
    assert.match(await lacking(creds), /config\.pipe is not a file, so that it cannot be read again$/u);
  });
});

const V1 = 'client.authentication.k8s.io/v1';

/** A plugin whose tokens tell the version it was asked for, and how often. */
function plugin(folder: Folder, name: string, status: string): object {
  const count = join(folder.path, `${name}.count`);
  const expiry = status.replace('expirationTimestamp', '"expirationTimestamp"');
  const script = `#!/bin/sh
echo x >> ${count}
version=$(echo "$KUBERNETES_EXEC_INFO" | sed 's/.*client.authentication.k8s.io.\\(v1\\)".*/\\1/')
echo "{\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$version-$(wc -l < ${count} | tr -d ' ')\\",${expiry.replaceAll('"', '\\"')}}}"
`;
  const command = folder.write(`${name}.sh`, script);
  chmodSync(command, 0o755);
  return { apiVersion: V1, command, interactiveMode: 'Never' };
}

function entry(name: string, server: string): object {
  return { name, cluster: { server } };
}

function source(options: Partial<ConnectOptions>): CredentialSource {
  return new CredentialSource({ kubeconfig: undefined, context: undefined, env: {}, ...options }, systemClock);
}

/** The credentials that a source has to have. */
async function had(from: CredentialSource): Promise<Credentials> {
  const answer = await from.get();
  assert.ok(answer.ok, answer.ok ? '' : answer.failure.message);
  return answer.value;
}

/** Why a source has none. */
async function lacking(from: CredentialSource): Promise<string> {
  const answer = await from.get();
  assert.equal(answer.ok ? '' : answer.failure.kind, 'no-credentials');
  return answer.ok ? '' : answer.failure.message;
}

async function whereAndWho(options: Partial<ConnectOptions>): Promise<readonly (string | undefined)[]> {
  const { server, headers } = await had(source(options));
  return [server.href, headers['Authorization']];
}
