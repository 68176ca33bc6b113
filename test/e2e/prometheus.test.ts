import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCycle } from '../../src/descheduler/cycle.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { prometheusUsage } from '../../src/kube/prometheus.ts';
import { systemClock } from '../../src/lib/clock.ts';
import * as given from '../builders/cluster.ts';
import { loaded } from '../policy/policy-text.ts';
import { suiteNeeding } from '../suites.ts';

const binary = [
  ...(process.env['PATH'] ?? '').split(':'),
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'evenkeel', 'prometheus', 'usr', 'bin'),
]
  .map((folder) => join(folder, 'prometheus'))
  .find((file) => existsSync(file));

const QUERY = 'instance_share';

suiteNeeding({ group: 'a real Prometheus', isMet: binary !== undefined }, 'usage by a real Prometheus', () => {
  it('moves pods from the node that a query names, and leaves out one without a sample', async () => {
    await withPrometheus({ n1: 0.9, n2: 0.1 }, async (url) => {
      const thresholds = { MetricResource: 20 };
      const args = {
        ...{ thresholds, targetThresholds: { MetricResource: 50 } },
        metricsUtilization: { source: 'Prometheus', prometheus: { query: QUERY } },
      };
      const policy = loaded(
        JSON.stringify({
          ...{ apiVersion: 'descheduler/v1alpha2', kind: 'DeschedulerPolicy' },
          metricsProviders: [{ source: 'Prometheus', prometheus: { url } }],
          profiles: [
            {
              name: 'main',
              pluginConfig: [{ name: 'LowNodeUtilization', args }],
              plugins: { balance: { enabled: ['LowNodeUtilization'] } },
            },
          ],
        }),
      );
      const owned = given.ownedBy('ReplicaSet', 'web');
      const snapshot = given.snapshot(
        ...['n1', 'n2', 'n3'].map((name) => given.node(name)),
        ...['web-1', 'web-2'].map((name) => given.pod(name, given.on('n1'), owned)),
      );
      const source = { kind: 'dump', name: 'test', now: '2026-01-15T09:00:00Z', nowFrom: 'flag' } as const;
      const report = await runCycle(
        policy,
        {
          cluster: () => Promise.resolve({ snapshot, source, warnings: [] }),
          usage: (_need, _snapshot, signal) =>
            prometheusUsage({ url, authSecret: undefined }, QUERY, {
              call: () => assert.fail('no Secret is read'),
              signal,
            }),
          ...{ evict: dryRunEvict, observe: () => undefined, clock: systemClock },
        },
        { dryRun: true, signal: new AbortController().signal },
      );
      assert.deepEqual(
        report.evictions.map(({ pod, reason }) => [pod.name, reason]),
        [['web-1', 'is on node n1 at MetricResource 90% (target 50%)']],
      );
      assert.ok(report.warnings.some((text) => /no measured usage of node n3/u.test(text)));
    });
  });
});

/** A server that scrapes an exporter with these shares, once it has a sample of each. */
async function withPrometheus(shares: Readonly<Record<string, number>>, work: (url: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-e2e-prometheus-'));
  const lines = Object.entries(shares).map(([node, share]) => `instance_share{instance="${node}"} ${share}\n`);
  const exporter = createServer((_request, response) => response.end(lines.join('')));
  exporter.listen(0, '127.0.0.1');
  await once(exporter, 'listening');
  const target = `127.0.0.1:${(exporter.address() as AddressInfo).port}`;
  const config = {
    scrape_configs: [
      { job_name: 'shares', honor_labels: true, scrape_interval: '200ms', static_configs: [{ targets: [target] }] },
    ],
  };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const files = [`--config.file=${join(folder, 'config.yaml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const server = spawn(binary ?? '', [...files, `--web.listen-address=${address}`], { stdio: 'ignore' });
  try {
    await until(async () => (await samples(`http://${address}`)) === Object.keys(shares).length);
    await work(`http://${address}`);
  } finally {
    server.kill('SIGKILL');
    await once(server, 'exit');
    exporter.close();
    rmSync(folder, { recursive: true });
  }
}

async function samples(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/query?query=${QUERY}`).catch(() => undefined);
  if (!response?.ok) return 0;
  const { data } = (await response.json()) as { data: { result: readonly unknown[] } };
  return data.result.length;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
