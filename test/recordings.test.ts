import assert from 'node:assert/strict';
import { podName } from '../src/cluster/objects/pod.ts';
import { faults } from './recordings/comparison.ts';
import { alone, evenkeel, FAULTY } from './recordings/programs.ts';
import { recordedClusters, type Recording } from './recordings/recording.ts';
import { leaveOut } from './suites.ts';

/** Of the recordings' policies, how many there are at least, and how many a program that is at fault has to fail. */
const ALL = 136;
const MOST = 100;

const clusters = recordedClusters();
if (clusters.length === 0) leaveOut('recordings', ALL + 4);

/**
 * What the reference did on generated clusters, three runs each, against what we plan: after our plan no more is left to do
 * than after its own, with no more evictions, and nobody goes who must not. What is compared is in `recordings/comparison.ts`.
 */
describe('against the recordings of the reference', () => {
  for (const { name, policies, open } of clusters) {
    describe(name, () => {
      let recordings: ReadonlyMap<string, Recording> = new Map();
      before(async () => {
        recordings = new Map((await open()).map((recording) => [recording.name, recording]));
      });
      for (const policy of policies) {
        it(`${policy}: leads to no worse a result`, async () => {
          const recording = recordings.get(`${name} ${policy}`)!;
          const plan = await evenkeel(recording);
          assert.deepEqual(faults(plan, recording), []);
          assert.deepEqual(plan.map(podName), (await alone(recording)).map(podName), 'as if it were the only strategy');
        });
      }
    });
  }
});

if (clusters.length > 0) {
  describe('the comparison with the recordings', function () {
    this.timeout(300_000);
    let recordings: readonly Recording[] = [];
    before(async () => {
      recordings = (await Promise.all(clusters.map(({ open }) => open()))).flat();
    });

    it(`has ${ALL} of them at least`, () => assert.ok(recordings.length >= ALL, `${recordings.length}`));

    for (const fault of ['evicts nothing', 'evicts every proposal', 'skips the second strategy']) {
      it(`fails a program that ${fault} in ${MOST} of them at least`, async () => {
        const failed: string[] = [];
        for (const recording of recordings) {
          if (faults(await FAULTY[fault]!(recording), recording).length > 0) failed.push(recording.name);
        }
        assert.ok(failed.length >= MOST, `only ${failed.length}: ${failed.join(', ')}`);
      });
    }
  });
}
