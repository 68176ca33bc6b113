import assert from 'node:assert/strict';
import { demoObjects } from '../../src/demo/cluster.ts';
import { demoCluster } from '../../src/demo/source.ts';
import { runProgram } from '../../src/cli/program.ts';
import { recorder } from '../cli/recorder.ts';

describe('the demo', () => {
  it('is the same each time', () => {
    assert.deepEqual(demoObjects(), demoObjects());
  });

  it('has every pod on a node that exists, and no two objects of one name or UID', async () => {
    const { snapshot } = await demoCluster(new AbortController().signal);
    assert.deepEqual(
      snapshot.pods.filter((pod) => !snapshot.node(pod.nodeName)),
      [],
    );
    const ids = demoObjects().map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(new Set(demoObjects().map(({ metadata }) => metadata.uid)).size, ids.length);
  });

  it('gives every strategy of its policy something to do, shows several refusals, and warns of nothing', async () => {
    const { terminal, printed } = recorder();
    assert.equal(await runProgram(['demo', '-o', 'json'], terminal), 0);
    const report = JSON.parse(printed()) as {
      readonly strategies: readonly { readonly name: string; readonly evicted: number }[];
      readonly refusals: readonly { readonly refusedBy: string }[];
      readonly warnings: readonly string[];
    };
    assert.deepEqual(
      report.strategies.filter(({ evicted }) => evicted === 0),
      [],
    );
    assert.ok(new Set(report.refusals.map(({ refusedBy }) => refusedBy)).size >= 3);
    assert.deepEqual(report.warnings, []);
  });
});
