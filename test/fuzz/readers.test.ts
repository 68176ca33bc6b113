import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'yaml';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { demoObjects } from '../../src/demo/cluster.ts';
import { DEFAULT_POLICY } from '../../src/demo/policy.ts';
import { DumpError } from '../../src/dump/dump-error.ts';
import { readDump } from '../../src/dump/read-dump.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { formatFindings } from '../../src/findings/format.ts';
import { ConnectError } from '../../src/kube/http/connect-error.ts';
import { chooseCluster } from '../../src/kube/auth/kubeconfig.ts';
import { readWatch } from '../../src/kube/watch/watch-stream.ts';
import { loadScenario } from '../../src/outage/load-scenario.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { attack } from './attack.ts';
import { nearly } from './hostile-texts.ts';

const all = demoObjects() as readonly { readonly kind: string }[];
/** Two of each kind. */
const objects = [...new Set(all.map(({ kind }) => kind))].flatMap((kind) =>
  all.filter((object) => object.kind === kind).slice(0, 2),
);
const list = { apiVersion: 'v1', kind: 'List', items: objects };

describe('readers of hostile texts throw only their own error, in bounded time', function () {
  this.timeout(0);
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-fuzz-'));
  after(() => rmSync(folder, { recursive: true }));

  it('policy', () =>
    attack(nearly([parse(DEFAULT_POLICY), OLD_POLICY], 'both'), (bytes) => {
      const text = bytes.toString('utf8');
      const result = loadPolicy(text);
      holdsFindings(text, result.ok ? result.warnings : result.findings, result.ok);
    }));

  it('scenario', () =>
    attack(nearly([SCENARIO], 'both'), (bytes) => {
      const text = bytes.toString('utf8');
      const result = loadScenario(text);
      holdsFindings(text, result.ok ? [] : result.findings, result.ok);
    }));

  for (const format of ['json', 'yaml'] as const) {
    it(`dump as ${format.toUpperCase()}`, () =>
      attack(nearly([list, ...objects], format), async (bytes) => {
        const file = join(folder, `cluster.${format}`);
        writeFileSync(file, bytes);
        await only(DumpError, () => readDump([file]));
      }));
  }

  it('kubeconfig', () =>
    attack(nearly([KUBECONFIG], 'both'), async (bytes) => {
      const kubeconfig = join(folder, 'config');
      writeFileSync(kubeconfig, bytes);
      await only(ConnectError, () => chooseCluster({ kubeconfig, context: undefined, env: {} }).again());
    }));

  it('watch stream', () =>
    attack(nearly([objects.map((object) => ({ type: 'ADDED', object })), WATCH], 'lines'), async (bytes) => {
      const store = new ClusterStore();
      const decoder = new Decoder();
      const middle = Math.floor(bytes.length / 2);
      const body = Readable.from([bytes.subarray(0, middle), bytes.subarray(middle)], { objectMode: false });
      const end = await readWatch(
        body,
        ({ type, object }) => {
          const decoded = decoder.decodeObject(object, 'Pod');
          if (decoded) store.apply({ ...decoded, type: type === 'DELETED' ? 'delete' : 'put' });
        },
        { silenceMs: 10_000 },
      );
      assert.ok(['closed', 'cut', 'garbage'].includes(end), end);
    }));
});

/** Each finding stands inside the text and can be shown; what is not read has an error. */
function holdsFindings(text: string, findings: readonly Finding[], isRead: boolean): void {
  assert.ok(isRead || findings.some(({ severity }) => severity === 'error'));
  for (const { line, column } of findings) assert.ok(line >= 1 && column >= 1);
  assert.equal(typeof formatFindings(findings, { file: 'text', text }), 'string');
}

async function only(known: new (...args: never[]) => Error, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof known)) throw error;
    assert.ok(error.message.length < 10_000, `a message of ${error.message.length} letters`);
  }
}

const OLD_POLICY = {
  apiVersion: 'descheduler/v1alpha1',
  kind: 'DeschedulerPolicy',
  evictLocalStoragePods: true,
  strategies: {
    RemoveDuplicates: {
      enabled: true,
      params: { namespaces: { include: ['a'] }, removeDuplicates: { excludeOwnerKinds: ['Job'] } },
    },
    LowNodeUtilization: {
      enabled: true,
      params: { nodeResourceUtilizationThresholds: { thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 } } },
    },
    PodLifeTime: {
      enabled: true,
      params: { podLifeTime: { maxPodLifeTimeSeconds: 60, podStatusPhases: ['Pending'] } },
    },
  },
};

const SCENARIO = {
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'OutageScenario',
  duration: '30m',
  events: [
    { at: '0s', stopKubelet: { zone: 'a' } },
    {
      at: '1m',
      addTaint: { nodes: ['n'], taint: { key: 'k', effect: 'NoExecute', timeAdded: '2026-01-01T12:00:00Z' } },
    },
    { at: '3m', setCondition: { selector: { a: 'b' }, condition: { type: 'Ready', status: 'False' } } },
    { at: '4m', createPod: { metadata: { name: 'p' } } },
    { at: '6m', deletePod: 'ns/name' },
    { at: '9m', restartController: { downFor: '30s' } },
  ],
};

const KUBECONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  clusters: [
    {
      name: 'k',
      cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority': 'ca.crt', 'proxy-url': 'socks5://p' },
    },
  ],
  contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'n' } }],
  users: [
    { name: 'u', user: { tokenFile: 'token', 'client-certificate': 'c.crt', 'client-key-data': 'AAAA' } },
    {
      name: 'v',
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './p', args: ['a'], env: null } },
    },
    { name: 'w', user: { 'auth-provider': { name: 'oidc', config: {} } } },
  ],
};

const WATCH = [
  ...['ADDED', 'MODIFIED', 'DELETED'].map((type) => ({ type, object: objects.find(({ kind }) => kind === 'Pod') })),
  { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '7' } } },
  { type: 'ERROR', object: { kind: 'Status', code: 410, message: 'gone', details: { retryAfterSeconds: 1 } } },
];
