import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suiteNeeding } from '../suites.ts';
import { ControlPlane } from './control-plane.ts';
import { foresee, type Foresight } from './foresight.ts';
import { END_TO_END } from './suite.ts';

/** bench/foresight prints the same with several evictions at once, where the order of the replacements is chance. */
const SEEDS = 10;

suiteNeeding(END_TO_END, 'end to end: against the real scheduler', function () {
  this.timeout(300_000);
  let plane: ControlPlane;
  let folder = '';
  const results: Foresight[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-foresight-'));
    plane = await ControlPlane.start({
      scheduler: true,
      controllers: 'replicaset-controller,garbage-collector-controller',
    });
    const writePolicy = (text: string) => {
      const file = join(folder, 'policy.json');
      writeFileSync(file, text);
      return file;
    };
    for (let seed = 1; seed <= SEEDS; seed++) {
      results.push(await foresee(plane, { seed, perCycle: 1, cycles: 3, writePolicy }));
    }
  });
  after(async () => {
    await plane.stop();
    rmSync(folder, { recursive: true });
  });

  it('at least 90 % of the replacements land in the named set of likely nodes', () => {
    const evicted = results.reduce((sum, it) => sum + it.evicted, 0);
    const foreseen = results.reduce((sum, it) => sum + it.inLikelyNodes, 0);
    assert.ok(evicted >= 2 * SEEDS, `only ${evicted} pods were evicted`);
    assert.ok(foreseen >= 0.9 * evicted, `${foreseen} of ${evicted} replacements`);
  });

  it('no replacement would be moved again by a later cycle', () => {
    assert.deepEqual(
      results.filter(({ backAgain }) => backAgain > 0),
      [],
    );
  });
});
