import { faults } from '../../test/recordings/comparison.ts';
import { evenkeel, FAULTY } from '../../test/recordings/programs.ts';
import { recordedClusters, type Plan } from '../../test/recordings/recording.ts';

// How many of the recordings see that a program has a fault, and in how many its plan is another than evenkeel's, so that it
// could be seen at all. node --import tsx bench/mutation/recordings.ts

interface Count {
  different: number;
  failed: number;
  readonly unseen: string[];
}

const counts = new Map<string, Count>(
  Object.keys(FAULTY).map((name) => [name, { different: 0, failed: 0, unseen: [] }]),
);
let recordings = 0;
for (const { open } of recordedClusters()) {
  for (const recording of await open()) {
    recordings += 1;
    const ours = await evenkeel(recording);
    for (const [name, program] of Object.entries(FAULTY)) {
      const plan = await program(recording);
      const count = counts.get(name)!;
      const isFailed = faults(plan, recording).length > 0;
      const isDifferent = !isSame(plan, ours);
      if (isDifferent) count.different += 1;
      if (isFailed) count.failed += 1;
      else if (isDifferent) count.unseen.push(recording.name);
    }
  }
}

for (const [name, { different, failed, unseen }] of counts) {
  const which = unseen.length === 0 ? '' : `; not seen in ${unseen.join(', ')}`;
  process.stdout.write(
    `a program that ${name}: another plan in ${different} of ${recordings} recordings, fails ${failed}${which}\n`,
  );
}

function isSame(a: Plan, b: Plan): boolean {
  return a.length === b.length && a.every((pod) => b.includes(pod));
}
