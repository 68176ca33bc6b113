import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suiteNeeding } from '../suites.ts';
import { ControlPlane } from './control-plane.ts';
import { foresee, type Foresight } from './foresight.ts';
import { END_TO_END } from './suite.ts';

const SEEDS = 10;
/** Of clusters that lose all the plan names at once, where the order of the replacements is chance. */
const SEEDS_AT_ONCE = 6;

suiteNeeding(END_TO_END, 'end to end: against the real scheduler', function () {
  this.timeout(600_000);
  let plane: ControlPlane;
  let folder = '';
  const results: Foresight[] = [];
  const atOnce: Foresight[] = [];

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
    for (let seed = 1; seed <= SEEDS_AT_ONCE; seed++) {
      atOnce.push(await foresee(plane, { seed, perCycle: 1_000, cycles: 1, writePolicy }));
    }
  });
  after(async () => {
    await plane.stop();
    rmSync(folder, { recursive: true });
  });

  it('at least 90% of the replacements land in the named set of likely nodes', () => {
    const evicted = results.reduce((sum, it) => sum + it.evicted, 0);
    const foreseen = results.reduce((sum, it) => sum + it.inLikelyNodes, 0);
    assert.ok(evicted >= 2 * SEEDS, `only ${evicted} pods were evicted`);
    assert.ok(foreseen >= 0.9 * evicted, `${foreseen} of ${evicted} replacements`);
  });

  it('at least 95% do with the pool full, and next to none would be moved again', () => {
    const total = (key: 'evicted' | 'inLikelyNodes' | 'backAgain') => atOnce.reduce((sum, it) => sum + it[key], 0);
    const [evicted, foreseen, again] = [total('evicted'), total('inLikelyNodes'), total('backAgain')];
    assert.ok(evicted >= 20 * SEEDS_AT_ONCE, `only ${evicted} pods were evicted`);
    assert.ok(foreseen >= 0.95 * evicted, `${foreseen} of ${evicted} replacements`);
    assert.ok(again <= 0.02 * evicted, `${again} of ${evicted} replacements would be moved again`);
  });

  it('no replacement would be moved again by a later cycle', () => {
    assert.deepEqual(
      results.filter(({ backAgain }) => backAgain > 0),
      [],
    );
  });
});
