import assert from 'node:assert/strict';
import { runProgram } from '../../src/cli/program.ts';
import { Folder, kubeconfig, page, play, status, type Reply, type Script } from '../kube/conversation.ts';
import { recorder } from './recorder.ts';

const eviction = { name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1' };
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const SYSTEM_PODS = '/api/v1/namespaces/kube-system/pods';
const quiet: Reply = { hang: 'after head' };
const DISCOVERY = {
  '/api/v1': [{ body: { resources: [eviction] } }],
  '/version': [{ body: { minor: '36', gitVersion: 'v1.36.0' } }],
};
const taints = [{ key: 'gone', effect: 'NoExecute', timeAdded: '2026-01-15T09:00:00Z' }];
const node = { metadata: { name: 'n1', uid: 'n1' }, spec: { taints } };
const pod = (name: string, tolerationSeconds?: number) => ({
  metadata: { name, namespace: 'shop', uid: `u-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'c' }],
    tolerations: [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds }],
  },
});
const CLUSTER = {
  ...DISCOVERY,
  '/api/v1/nodes': [page([node]), quiet],
  '/api/v1/nodes/n1': Array.from({ length: 9 }, () => ({ body: node })),
  '/api/v1/pods': [page([pod('quick', 1), pod('long', 1e9), pod('stays')]), quiet],
  [LEASES]: [page([]), quiet],
  [SYSTEM_PODS]: [page([])],
};
const manager = {
  metadata: { name: 'kcm-1' },
  spec: { containers: [{ command: ['kube-controller-manager', '--controllers=*'] }] },
};

describe('evenkeel lifecycle', () => {
  let folder = new Folder();
  beforeEach(() => {
    folder = new Folder();
  });
  afterEach(() => folder.remove());

  describe('refuses what makes no sense, exit code 2', () => {
    const rows: readonly (readonly [readonly string[], string])[] = [
      [
        ['--controllers=descheduler'],
        "error: option '--controllers <names>' argument 'descheduler' is invalid. It takes one or more of node-lifecycle, taint-eviction, with commas between.\n",
      ],
      [
        ['--mode=maybe'],
        "error: option '--mode <mode>' argument 'maybe' is invalid. Allowed choices are observe, act.\n",
      ],
      [
        ['--leader-elect-lease-duration=5s', '--leader-elect-retry-period=9s'],
        'error: --leader-elect-lease-duration must be longer than --leader-elect-renew-deadline\n' +
          'error: --leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period\n',
      ],
      [
        ['--leader-elect=maybe'],
        "error: option '--leader-elect [boolean]' argument 'maybe' is invalid. It is true or false.\n",
      ],
    ];
    for (const [argv, complained] of rows) {
      it(argv.join(' '), async () => {
        const { terminal, ...told } = recorder();
        assert.equal(await runProgram(['lifecycle', ...argv], terminal), 2);
        assert.deepEqual([told.printed(), told.complained()], ['', complained]);
      });
    }
  });

  describe('run refuses controllers that it cannot run', () => {
    const rows: readonly (readonly [readonly string[], string])[] = [
      [
        ['--controllers=taint-eviction'],
        'error: --controllers=taint-eviction without descheduler is "evenkeel lifecycle"\n',
      ],
      [
        ['--controllers=descheduler,taint-eviction'],
        'error: --controllers with more than descheduler needs --descheduling-interval or --schedule\n',
      ],
      [
        ['--from-dump', 'x', '--controllers=descheduler,taint-eviction'],
        'error: --controllers does not go with --from-dump: "evenkeel outage" simulates them on a dump\n',
      ],
    ];
    for (const [argv, complained] of rows) {
      it(argv.join(' '), async () => {
        const { terminal, ...told } = recorder();
        assert.equal(await runProgram(['run', '--policy-config-file=x', ...argv], terminal), 2);
        assert.equal(told.complained().includes(complained), true, told.complained());
      });
    }
  });

  it('observes: says who would go when, writes nothing, and lists who is left with a date at the end', async () => {
    const { exitCode, printed, heard } = await observe(CLUSTER, ['--controllers=taint-eviction'], 'would be deleted');
    assert.equal(exitCode, 0);
    assert.deepEqual(
      heard.filter(({ method }) => method !== 'GET'),
      [],
    );
    const lines = printed
      .split('\n')
      .map((line) => line.replace(/^\d{4}-\S+ (?=shop)/u, '').replace(/\d+ ms late/u, '… late'));
    assert.deepEqual(lines.slice(-6).sort(), [
      '',
      '  2057-09-23T10:46:40.000Z  shop/long on n1: tolerates gone:NoExecute for 277777h46m40s only',
      '1 pod will be deleted if nothing changes:',
      'shop/long on n1 would be deleted at 2057-09-23T10:46:40.000Z: it tolerates gone:NoExecute for 277777h46m40s only',
      'shop/quick on n1 would be deleted: it tolerates gone:NoExecute for 1s only (… late)',
    ]);
  });

  it('acts not beside a built-in controller: exit code 1, and the flag that switches it off', async () => {
    const { exitCode, complained, heard } = await run({ ...CLUSTER, [SYSTEM_PODS]: [page([manager])] }, ['--mode=act']);
    assert.equal(exitCode, 1);
    assert.equal(
      complained,
      'error: the built-in node-lifecycle-controller is at work (the flags of pod kube-system/kcm-1 leave it on), ' +
        'the built-in taint-eviction-controller is at work (the flags of pod kube-system/kcm-1 leave it on): ' +
        'two of them would decide about the same pods. Start kube-controller-manager with ' +
        '--controllers=*,-node-lifecycle-controller,-taint-eviction-controller, or say --ignore-built-in if that is done already\n',
    );
    assert.equal(
      heard.every(({ method }) => method === 'GET'),
      true,
    );
  });

  it('a kind that may not be read ends it with what to grant', async () => {
    const { exitCode, complained } = await run({ ...CLUSTER, [LEASES]: [status(403, 'leases is forbidden')] }, []);
    assert.equal(exitCode, 1);
    assert.match(
      complained,
      /^error: cannot watch Lease objects of http:\S+: leases is forbidden; grant list and watch on them\n$/u,
    );
  });

  async function observe(script: Script, argv: readonly string[], until: string) {
    const stop = new AbortController();
    return run(script, argv, {
      signal: stop.signal,
      onOutput: (text) => {
        if (text.includes(until)) setImmediate(() => stop.abort());
      },
    });
  }

  async function run(
    script: Script,
    argv: readonly string[],
    { signal, onOutput }: { signal?: AbortSignal; onOutput?: (text: string) => void } = {},
  ) {
    const server = await play(script);
    const out: string[] = [];
    const { terminal, complained } = recorder({
      out: (text) => {
        out.push(text);
        onOutput?.(text);
      },
      ...(signal && { signal }),
    });
    const config = folder.write('config', kubeconfig(server.url));
    const exitCode = await runProgram(['lifecycle', '--kubeconfig', config, '--secure-port=0', ...argv], terminal);
    server.close();
    return { exitCode, printed: out.join(''), complained: complained(), heard: server.heard };
  }
});
