import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { FORMATS } from '../../src/cli/render.ts';
import { recorder } from './recorder.ts';

const START = '2026-01-01T12:00:00Z';

const SCENARIO = `
apiVersion: evenkeel.io/v1alpha1
kind: OutageScenario
duration: 20m
events:
- {at: 0s, stopKubelet: {zone: b}}
`;

describe('evenkeel outage', () => {
  let folder = '';
  const file = (name: string) => join(folder, name);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-outage-'));
    await writeFile(file('cluster.json'), JSON.stringify(cluster()));
    await writeFile(file('scenario.yaml'), SCENARIO);
  });
  after(() => rm(folder, { recursive: true }));

  const play = async (...flags: readonly string[]) => {
    const { terminal, printed, complained } = recorder();
    const argv = ['outage', '--scenario', file('scenario.yaml'), '--from-dump', file('cluster.json'), '--now', START];
    const exitCode = await runProgram([...argv, ...flags], terminal);
    return { exitCode, printed: printed(), complained: complained() };
  };

  it('prints the document of the contract as JSON: timeline and summary, the same bytes each time', async () => {
    const first = await play('-o', 'json');
    const report = JSON.parse(first.printed) as {
      timeline: { event: string; pod?: string; at: string }[];
      summary: object;
    };
    assert.equal(first.exitCode, 0);
    assert.deepEqual(
      report.timeline.filter(({ event }) => event === 'PodDeleted').map(({ at, pod }) => [at, pod]),
      [['5m55s', 'default/web-1']],
    );
    assert.deepEqual(report.summary, { podsDeleted: 1, nodesTainted: 1, lastDeletionAt: '5m55s' });
    assert.equal((await play('-o', 'json')).printed, first.printed);
  });

  it('plots the zones and needs no more than 80 columns', async () => {
    const { printed } = await play();
    assert.deepEqual(
      printed.split('\n').filter((line) => line.length > 80),
      [],
    );
    assert.match(printed, /deleted {5}·{17}█{43} 1$/mu);
  });

  it('says what would have happened with other flags', async () => {
    const { printed } = await play('--compare', 'full-disruption=stop', '--compare', '--node-monitor-grace-period=10m');
    assert.match(printed, /as played: 1 pod deleted, the last at 5m55s; 1 node tainted NoExecute/u);
    assert.match(printed, /full-disruption=stop: 0 pods deleted; 0 nodes tainted NoExecute/u);
    assert.match(printed, /--node-monitor-grace-period=10m: 1 pod deleted, the last at 15m5s/u);
  });

  it('flags of the controllers change what is played', async () => {
    const { printed } = await play('-o', 'json', '--node-monitor-grace-period', '1m40s');
    assert.match(printed, /"lastDeletionAt": "6m45s"/u);
  });

  for (const format of FORMATS) {
    it(`every form names the pod that goes: ${format}`, async () => {
      const out = file(`report.${format}`);
      const { exitCode, printed } = await play('-o', format, '--output-file', out);
      assert.deepEqual([exitCode, printed], [0, '']);
      assert.match(await readFile(out, 'utf8'), /default\/web-1/u);
    });
  }

  it('a wrong scenario ends with exit code 2, every finding and its place', async () => {
    await writeFile(file('wrong.yaml'), SCENARIO.replace('stopKubelet', 'stopKublet').replace('20m', 'soon'));
    const { exitCode, complained, printed } = await play('--scenario', file('wrong.yaml'));
    assert.deepEqual([exitCode, printed], [2, '']);
    assert.match(complained, /wrong\.yaml:4:11.*\n[\s\S]*wrong\.yaml:6:12[\s\S]*did you mean "stopKubelet"/u);
  });

  it('a wrong flag or comparison ends with exit code 2 and names it', async () => {
    for (const [flags, message] of [
      [['--compare', 'speed=1'], /--compare <flag=value>.*FLAG is one of node-monitor-period/u],
      [['--node-eviction-rate', '-1'], /--node-eviction-rate/u],
      [['--scenario', file('none.yaml')], /scenario .*none\.yaml: no such file; give the path of a OutageScenario/u],
    ] as const) {
      const { exitCode, complained } = await play(...flags);
      assert.equal(exitCode, 2);
      assert.match(complained, message);
    }
  });
});

function cluster(): object {
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: START, lastTransitionTime: START };
  const node = (name: string, zone: string) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, creationTimestamp: START, labels: { 'topology.kubernetes.io/zone': zone } },
    status: { conditions: [ready] },
  });
  const tolerations = ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  const pod = (name: string, nodeName: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: START },
    spec: { nodeName, tolerations, containers: [{ name: 'main' }] },
    status: { phase: 'Running', startTime: START },
  });
  const items = [node('n1', 'a'), node('n2', 'b'), pod('web-0', 'n1'), pod('web-1', 'n2')];
  return { apiVersion: 'v1', kind: 'List', items };
}
