import assert from 'node:assert/strict';
import { readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { runProgram } from '../../src/cli/program.ts';
import { Folder, kubeconfig, page, play, status, type Heard, type Reply, type Script } from '../kube/conversation.ts';
import { recorder } from './recorder.ts';

const POLICY = `apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
evictionFailureEventNotification: true
profiles:
  - name: main
    pluginConfig:
      - name: DefaultEvictor
        args: {nodeFit: true}
    plugins:
      deschedule: {enabled: [RemovePodsViolatingNodeTaints]}
`;

const eviction = { name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1' };
const DISCOVERY = {
  '/api/v1': { body: { resources: [eviction] } },
  '/version': { body: { minor: '36', gitVersion: 'v1.36.0' } },
};
const node = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec,
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
});
const pod = (name: string) => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `rs-${name}`, uid: `rs-${name}`, controller: true },
    ],
  },
  spec: { nodeName: 'n1', containers: [{ name: 'c' }] },
  status: { phase: 'Running' },
});
const CLUSTER = {
  '/api/v1/nodes': page([node('n1', { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] }), node('n2')]),
  '/api/v1/pods': page([pod('a'), pod('b')]),
};
const done: Reply = { status: 201, body: { kind: 'Status', status: 'Success' } };
const evictionOf = (name: string) => `/api/v1/namespaces/shop/pods/${name}/eviction`;
const EVENTS = '/apis/events.k8s.io/v1/namespaces/shop/events';

/** The same answers for so many cycles. */
function cycles(
  times: number,
  ...scripts: readonly Readonly<Record<string, Reply>>[]
): Record<string, readonly Reply[]> {
  const replies = Object.entries(Object.assign({}, ...scripts) as Record<string, Reply>);
  return Object.fromEntries(replies.map(([path, reply]) => [path, Array.from({ length: times }, () => reply)]));
}

describe('a live run', () => {
  let folder = new Folder();
  let policy = '';
  beforeEach(() => {
    folder = new Folder();
    policy = folder.write('policy.yaml', POLICY);
  });
  afterEach(() => folder.remove());

  it('evicts what the dry run before has announced, and tells of it', async () => {
    const rights = {
      [evictionOf('a')]: done,
      [evictionOf('b')]: status(429, 'the budget says no', { causes: [{ reason: 'DisruptionBudget' }] }),
      [EVENTS]: done,
    };
    const script = cycles(2, DISCOVERY, CLUSTER, rights, { [EVENTS]: done });
    const dry = await run(script, ['--dry-run', '-o', 'json']);
    const real = await run(script, ['-o', 'json']);
    assert.deepEqual([dry.exitCode, real.exitCode], [0, 0]);
    assert.deepEqual(
      dry.heard.filter(({ method }) => method !== 'GET'),
      [],
    );
    assert.deepEqual(planOf(dry.printed), [
      { pod: 'a', strategy: 'RemovePodsViolatingNodeTaints', result: 'would-evict' },
      { pod: 'b', strategy: 'RemovePodsViolatingNodeTaints', result: 'would-evict' },
    ]);
    assert.deepEqual(planOf(real.printed), [
      { pod: 'a', strategy: 'RemovePodsViolatingNodeTaints', result: 'evicted' },
      { pod: 'b', strategy: 'RemovePodsViolatingNodeTaints', result: 'failed', error: 'the budget says no' },
    ]);
    const events = real.heard
      .filter(({ path }) => path === EVENTS)
      .map(({ body }) => (body as { reason: string }).reason);
    assert.deepEqual(events.sort(), ['EvictionFailed', 'RemovePodsViolatingNodeTaints']);
  });

  it('a pod that its budget holds back has an event, once for all strategies; in a dry run it has none', async () => {
    const twice = POLICY.replace(
      'RemovePodsViolatingNodeTaints]',
      'RemovePodsViolatingNodeTaints, RemovePodsViolatingNodeTaints]',
    );
    const guarded = {
      '/api/v1/pods': page([
        { ...pod('a'), status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      ]),
      '/apis/policy/v1/poddisruptionbudgets': page([
        {
          metadata: { name: 'budget', namespace: 'shop' },
          spec: { selector: {} },
          status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
        },
      ]),
    };
    const script = cycles(2, DISCOVERY, CLUSTER, guarded, { [EVENTS]: done });
    const argv = ['-o', 'json', '--policy-config-file', folder.write('twice.yaml', twice)];
    const dry = await run(script, ['--dry-run', ...argv]);
    const real = await run(script, argv);
    const notes = ({ heard }: typeof real) =>
      heard.filter(({ path }) => path === EVENTS).map(({ body }) => (body as { note: string }).note);
    const { refusals } = JSON.parse(real.printed) as { refusals: readonly unknown[] };
    assert.deepEqual([real.exitCode, refusals.length, notes(dry)], [0, 2, []]);
    assert.deepEqual(notes(real), [
      'pod eviction from n1 node by sigs.k8s.io/descheduler failed: is guarded by PodDisruptionBudget budget, which allows no disruption now: 1 of its pods are healthy and 1 must be',
    ]);
  });

  it('an eviction that fails for another reason than its budget is exit code 1', async () => {
    const rights = { [evictionOf('a')]: done, [evictionOf('b')]: status(403, 'no'), [EVENTS]: done };
    const { exitCode, printed } = await run(cycles(2, DISCOVERY, CLUSTER, rights), ['-o', 'json']);
    assert.equal(exitCode, 1);
    assert.equal(planOf(printed).length, 2);
  });

  it('the report names the cluster, the time, and what could not be read', async () => {
    const { printed, server } = await run(cycles(1, DISCOVERY, CLUSTER), ['--dry-run', '-o', 'json']);
    const { source, warnings, startedAt } = JSON.parse(printed) as Record<string, unknown>;
    assert.deepEqual(source, { kind: 'cluster', name: server, now: (source as { now: string }).now, nowFrom: 'clock' });
    assert.ok(typeof startedAt === 'string');
    assert.ok((warnings as string[]).includes('Service does not exist on this server: rules that read it are skipped'));
  });

  describe('bad input: one message with the remedy, exit code as in rule C17, nothing evicted', () => {
    const rows: readonly (readonly [string, Script, readonly string[], number, RegExp])[] = [
      [
        'unauthorized',
        { '/api/v1': [status(401, 'Unauthorized'), status(401, 'Unauthorized')] },
        [],
        1,
        /^error: cannot use the cluster: http:\S+: Unauthorized\. http:\S+ does not accept these credentials: renew the token or log in again\n$/,
      ],
      [
        'forbidden',
        cycles(2, DISCOVERY, CLUSTER, { '/api/v1/pods': status(403, 'pods is forbidden') }),
        [],
        1,
        /^error: cannot list pods: pods is forbidden\. Grant list and watch on it: manifests\/base\/rbac\.yaml has all that is needed\n$/,
      ],
      [
        'not Kubernetes',
        { '/api/v1': [{ body: '<html>' }] },
        [],
        1,
        /^error: cannot use the cluster: http:\S+: the answer is not JSON\. http:\S+ does not look like a Kubernetes API server: check the address in the kubeconfig\n$/,
      ],
      [
        '7.2 number 12: without the eviction API',
        { '/api/v1': [{ body: { resources: [] } }] },
        [],
        1,
        /^error: http:\S+ offers no eviction of pods: policy\/v1 is needed, which every API server from 1\.22 on has\n$/,
      ],
      ['a wrong context', {}, ['--context', 'prod'], 2, /^error: kubeconfig \S+ has no context "prod"; it has: x\n$/],
      [
        'no such kubeconfig',
        {},
        ['--kubeconfig', '/no/such'],
        2,
        /^error: kubeconfig \/no\/such cannot be read: no such file/,
      ],
      [
        'no such policy',
        {},
        ['--policy-config-file', '/no/such'],
        2,
        /^error: policy \/no\/such: no such file; give the path/,
      ],
      [
        'no cron expression',
        {},
        ['--schedule', 'daily'],
        2,
        /^error: --schedule "daily" is not a valid cron expression; expected one like/,
      ],
    ];
    for (const [row, script, argv, exitCode, message] of rows) {
      it(row, async () => {
        const ended = await run(script, argv);
        assert.deepEqual([ended.exitCode, ended.printed], [exitCode, '']);
        assert.match(ended.complained, message);
        assert.deepEqual(
          ended.heard.filter(({ method }) => method !== 'GET'),
          [],
        );
      });
    }

    it('unreachable', async () => {
      const server = await play([]);
      server.close();
      const file = folder.write('unreachable', kubeconfig(server.url));
      const { exitCode, complained } = await run({}, ['--kubeconfig', file]);
      assert.equal(exitCode, 1);
      assert.equal(
        complained,
        `error: cannot use the cluster: ${server.url}: connection refused. Check the address, and that it can be reached and is healthy\n`,
      );
    });

    it('a bad certificate', async () => {
      const { cert, private: key } = await generate([{ name: 'commonName', value: 'other' }]);
      const server = await play([], { cert, key });
      const { exitCode, complained } = await run({}, ['--kubeconfig', folder.write('tls', kubeconfig(server.url))]);
      server.close();
      assert.equal(exitCode, 1);
      assert.match(
        complained,
        /^error: cannot use the cluster: the certificate of https:\S+ is not accepted \(.*\): check certificate-authority/,
      );
    });

    it('a class that the policy names and the cluster does not have', async () => {
      writeFileSync(policy, POLICY.replace('{nodeFit: true}', '{priorityThreshold: {name: vital}}'));
      const classes = { '/apis/scheduling.k8s.io/v1/priorityclasses': page([]) };
      const { exitCode, complained } = await run(cycles(1, DISCOVERY, CLUSTER, classes), []);
      assert.equal(exitCode, 1);
      assert.match(complained, /^error: .*vital/);
    });
  });

  describe('again and again', () => {
    it('prints one document a line, and ends when the signal comes', async () => {
      const { exitCode, lines } = await loop(cycles(9, DISCOVERY, CLUSTER), { lines: 3 });
      assert.equal(exitCode, 0);
      assert.deepEqual(
        lines.map(({ kind, summary }) => [kind, summary?.evicted]),
        Array.from({ length: 3 }, () => ['DeschedulingReport', 2]),
      );
    });

    it('7.2 number 11: takes a changed policy from the next cycle on; one that is wrong or gone fails that cycle', async () => {
      const { exitCode, lines, complained } = await loop(cycles(9, DISCOVERY, CLUSTER), {
        lines: 6,
        after: [
          () => writeFileSync(policy, POLICY.replace('profiles:', 'maxNoOfPodsToEvictTotal: 1\nprofiles:')),
          () => writeFileSync(policy, POLICY.replace('profiles:', 'porfiles:')),
          () => rmSync(policy),
          () => writeFileSync(policy, POLICY),
        ],
      });
      assert.equal(exitCode, 0);
      assert.deepEqual(
        lines.slice(0, 5).map(({ summary, error }) => [summary?.evicted, error?.split('\n')[0]]),
        [
          [2, undefined],
          [1, undefined],
          [0, `${policy}:4:1: error: porfiles: unknown key [unknown-key]`],
          [0, `policy ${policy}: no such file; give the path of a DeschedulerPolicy`],
          [2, undefined],
        ],
      );
      assert.match(complained, /error cycle failed: policy \S+: no such file/);
    });

    it('a cluster that fails for a while fails those cycles only', async () => {
      const script = cycles(9, DISCOVERY, CLUSTER);
      const spoken = script['/api/v1'] ?? [];
      const no = status(401, 'not now');
      const { lines, exitCode } = await loop(
        { ...script, '/api/v1': [...spoken.slice(0, 1), no, no, ...spoken] },
        { lines: 3 },
      );
      assert.equal(exitCode, 0);
      assert.deepEqual(
        lines.map(({ error }) => error?.slice(0, 24)),
        [undefined, 'cannot use the cluster: ', undefined],
      );
    });

    it('the exit code is that of the last cycle', async () => {
      const { exitCode } = await loop({ '/api/v1': [] }, { lines: 2 });
      assert.equal(exitCode, 1);
    });

    it('--output-file holds the last report, whole', async () => {
      const file = join(folder.path, 'report.json');
      const stop = new AbortController();
      const written = watch(folder.path, (_, name) => {
        if (name === 'report.json') stop.abort();
      });
      const { lines } = await loop(cycles(9, DISCOVERY, CLUSTER), { lines: 1, argv: ['--output-file', file], stop });
      written.close();
      assert.deepEqual(lines, []);
      assert.equal((JSON.parse(readFileSync(file, 'utf8')) as Line).summary?.evicted, 2);
    });
  });

  describe('health and metrics', () => {
    it('are served in a loop, over HTTPS', async () => {
      const port = await freePort();
      const seen: string[] = [];
      const argv = ['--secure-port', `${port}`, '--bind-address', '127.0.0.1'];
      const ask = async (path: string) => void seen.push(await getText(`https://127.0.0.1:${port}${path}`));
      await loop(cycles(99, DISCOVERY, CLUSTER), {
        lines: 2,
        argv,
        atEnd: async () => {
          await ask('/healthz');
          await ask('/readyz');
          await ask('/metrics');
        },
      });
      assert.deepEqual(seen.slice(0, 2), ['ok', 'ok']);
      assert.match(seen[2] ?? '', /^descheduler_loop_duration_seconds_count [1-9]/mu);
      // 7.2 number 10: a dry run counts no eviction.
      assert.doesNotMatch(seen[2] ?? '', /^descheduler_pods_evicted_total\{/mu);
    });

    it('a port that is taken ends the program, if it was asked for', async () => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '0.0.0.0', resolve));
      const { port } = taken.address() as AddressInfo;
      const { exitCode, complained } = await run(cycles(1, DISCOVERY, CLUSTER), [
        '--dry-run',
        '--secure-port',
        `${port}`,
      ]);
      taken.close();
      assert.equal(exitCode, 1);
      assert.match(
        complained,
        /^error: cannot serve on port \d+: .*EADDRINUSE.*; --secure-port takes another one, or 0 for none\n$/,
      );
    });
  });

  /** Runs the program on a recorded cluster. */
  async function run(script: Script, argv: readonly string[]) {
    const server = await play(script);
    const { terminal, printed, complained } = recorder();
    const config = folder.write('config', kubeconfig(server.url));
    const given = ['--kubeconfig', config, '--policy-config-file', policy, '--secure-port', '0'];
    const exitCode = await runProgram([...given, ...argv], terminal);
    server.close();
    const heard: readonly Heard[] = server.heard;
    return { exitCode, printed: printed(), complained: complained(), heard, server: server.url };
  }

  interface Looping {
    /** The signal comes after so many. */
    readonly lines: number;
    readonly argv?: readonly string[];
    /** What happens after the first, second… report. */
    readonly after?: readonly (() => void)[];
    /** What is done before the signal. */
    readonly atEnd?: () => Promise<void>;
    readonly stop?: AbortController;
  }

  interface Line {
    readonly kind: string;
    readonly error?: string;
    readonly summary?: { readonly evicted: number };
  }

  /** Runs dry cycles every 20 ms until there are so many reports. */
  async function loop(
    script: Script,
    { lines: most, argv = [], after = [], atEnd, stop = new AbortController() }: Looping,
  ) {
    const lines: Line[] = [];
    const server = await play(script);
    const base = recorder();
    const end = () => void Promise.resolve(atEnd?.()).finally(() => stop.abort());
    const terminal = {
      ...base.terminal,
      signal: stop.signal,
      out: (line: string) => {
        base.terminal.out(line);
        lines.push(JSON.parse(line) as Line);
        after[lines.length - 1]?.();
        if (lines.length === most) end();
      },
    };
    const config = folder.write('config', kubeconfig(server.url));
    const fixed = ['--dry-run', '-o', 'json', '--descheduling-interval', '20ms', '--secure-port', '0'];
    const given = [...fixed, '--kubeconfig', config, '--policy-config-file', policy];
    const exitCode = await runProgram([...given, ...argv], terminal);
    server.close();
    return { exitCode, lines, printed: base.printed(), complained: base.complained() };
  }
});

function planOf(json: string): readonly object[] {
  const { evictions } = JSON.parse(json) as {
    evictions: { pod: string; strategy: string; result: string; error?: string }[];
  };
  return evictions.map(({ pod: name, strategy, result, error }) => ({
    pod: name,
    strategy,
    result,
    ...(error === undefined ? {} : { error }),
  }));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function getText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    https
      .get(url, { rejectUnauthorized: false, agent: false }, (response) => void text(response).then(resolve, reject))
      .on('error', reject);
  });
}
