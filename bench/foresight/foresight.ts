import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assets, ControlPlane } from '../../test/e2e/control-plane.ts';
import { foresee } from '../../test/e2e/foresight.ts';

// How often the real scheduler puts a replacement where the plan said it would, and whether a second cycle would move it
// again. `node --import tsx bench/foresight/foresight.ts [SEEDS]` with KUBEBUILDER_ASSETS set.

if (assets === '') {
  process.stderr.write('KUBEBUILDER_ASSETS names no control plane\n');
  process.exit(1);
}
const seeds = Number(process.argv[2] ?? 10);
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-foresight-'));
const plane = await ControlPlane.start({
  scheduler: true,
  controllers: 'replicaset-controller,garbage-collector-controller',
});
try {
  await play('one eviction at a time', { perCycle: 1, cycles: 4 });
  await play('up to twenty at once', { perCycle: 20, cycles: 1 });
  await play('all at once, with the pool full', { perCycle: 1_000, cycles: 1 });
} finally {
  await plane.stop();
}

async function play(title: string, shape: { readonly perCycle: number; readonly cycles: number }): Promise<void> {
  let [evicted, likely, again] = [0, 0, 0];
  for (let seed = 1; seed <= seeds; seed++) {
    const it = await foresee(plane, { ...shape, seed, writePolicy });
    evicted += it.evicted;
    likely += it.inLikelyNodes;
    again += it.backAgain;
    const found = `${it.inLikelyNodes} in the named set, ${it.backAgain} to be moved again`;
    process.stdout.write(`${title}, seed ${seed}: ${it.evicted} evicted, ${found}\n`);
  }
  const share = evicted === 0 ? 0 : (100 * likely) / evicted;
  process.stdout.write(
    `${title}: ${evicted} evicted, ${share.toFixed(1)} % in the named set, ${again} to be moved again\n`,
  );
}

function writePolicy(text: string): string {
  const file = join(folder, 'policy.json');
  writeFileSync(file, text);
  return file;
}
