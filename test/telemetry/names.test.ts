import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { Outcome } from '../../src/outcomes/outcome.ts';
import { lifecycleMetrics } from '../../src/telemetry/lifecycle-metrics.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import * as given from '../builders/cluster.ts';
import { suiteNeeding } from '../suites.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'metrics.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([a-z_]+)`\s+\| (counter|gauge|histogram)\s+\| (.*?)\s+\| .+ \|$/gmu)].map(
  ([, name = '', type = '', labels = '']) => `${name} ${type} ${labels.replaceAll(/[`,]/gu, '').trim()}`.trim(),
);

describe('the metrics of docs/metrics.md', () => {
  it('are those that are served, by name, type and labels', async () => {
    assert.deepEqual(rows.toSorted(), (await served()).toSorted());
  });

  it('hold all names of the Go descheduler', () => {
    const names = new Set(rows.map((row) => row.split(' ')[0]));
    const theirs = ['pods_evicted', 'pods_evicted_total', 'build_info', 'loop_duration_seconds']
      .concat([
        'strategy_duration_seconds',
        'descheduler_loop_duration_seconds',
        'descheduler_strategy_duration_seconds',
      ])
      .map((name) => `descheduler_${name}`);
    assert.deepEqual(
      theirs.filter((name) => !names.has(name)),
      [],
    );
  });
});

const promtool = [
  ...(process.env['PATH'] ?? '').split(':'),
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'evenkeel', 'prometheus', 'usr', 'bin'),
]
  .map((folder) => join(folder, 'promtool'))
  .find((file) => existsSync(file));

suiteNeeding({ group: 'promtool', isMet: promtool !== undefined }, 'the text of /metrics', () => {
  // Names that dashboards of the Go descheduler read, and those that prom-client gives to Node.js.
  const KNOWN =
    /^descheduler_pods_evicted counter|^descheduler_build_info label names|^nodejs_active_\w+_total non-counter/u;

  it('passes promtool, but for the style of names that are not ours', async () => {
    const { status, stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], {
      input: await text(),
      encoding: 'utf8',
    });
    const remarks = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    assert.deepEqual(
      remarks.filter((line) => !KNOWN.test(line)),
      [],
    );
    assert.ok(status === 0 || remarks.length > 0);
  });
});

/** Every metric of ours once, the process's own left out. */
async function served(): Promise<readonly string[]> {
  const lines = (await text()).split('\n');
  const types = lines.flatMap((line) => /^# TYPE (\S+) (\S+)$/u.exec(line) ?? []).length;
  assert.ok(types > 0);
  return lines.flatMap((line) => {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/u.exec(line) ?? [];
    if (name === '' || /^(?:process|nodejs)_/u.test(name)) return [];
    const sample = lines.find((it) => new RegExp(`^${name}(?:_bucket)?(?:\\{|\\s)`, 'u').test(it)) ?? '';
    const labels = [...sample.matchAll(/(\w+)="/gu)].map(([, label = '']) => label).filter((label) => label !== 'le');
    return [`${name} ${type} ${labels.join(' ')}`.trim()];
  });
}

async function text(): Promise<string> {
  const metrics = createMetrics('1.2.3');
  const pod = given.pod('web-1', given.namespace('shop'), given.on('n1'));
  const who = { profile: 'main', strategy: 'PodLifeTime', pod, reason: 'is old' };
  const eviction: Outcome = { kind: 'eviction', ...who, destinations: 1, likelyNodes: [], result: 'evicted' };
  metrics.observe(eviction);
  metrics.observe({
    ...{ kind: 'strategy', profile: 'main', name: 'PodLifeTime', extensionPoint: 'deschedule' },
    ...{ proposed: 0, evicted: 0, refused: 0, durationMs: 30, notes: [] },
  });
  metrics.observeLoop(1);
  metrics.showPlan({ evictions: [eviction], refusals: [{ kind: 'refusal', ...who, refusedBy: 'nodeFit' }] });
  const registry = new Registry();
  const { observe, passed } = lifecycleMetrics(registry, {
    zones: () => [{ zone: 'eu:a', ready: 1, notReady: 0 }],
    pending: () => ({ armed: 0, due: 0 }),
    isLeading: () => true,
    watches: () => [{ kind: 'Pod', state: 'watching' }],
  });
  observe({ kind: 'taint-added', node: 'n1', zone: 'eu:a', taint: 'a:NoExecute', isLimited: true });
  observe({ kind: 'pod-deleted', pod, reason: 'r', result: 'deleted', lateMs: 1 });
  observe({ kind: 'deletion-failed', pod, failure: 'forbidden', error: 'no' });
  passed({ durationMs: 1, nodes: 1 });
  return `${await metrics.text()}${await registry.metrics()}`;
}
