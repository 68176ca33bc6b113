import assert from 'node:assert/strict';
import { runCycle } from '../../src/descheduler/cycle.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import type { CycleReport } from '../../src/outcomes/outcome.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { Plan, PolicyText, Recording } from './recording.ts';

/** Plans by the policy of a recording. */
export type Program = (recording: Recording) => Promise<Plan>;

/** evenkeel, with the recorded strategy as the second one, behind one that may evict none of the pods it finds. */
export const evenkeel: Program = async (recording) => victims(await run(recording, behind(recording.policy)));

/** evenkeel with the recorded policy as it stands. */
export const alone: Program = async (recording) => victims(await run(recording, recording.policy));

/** Programs with a fault that the comparison has to see. */
export const FAULTY: Readonly<Record<string, Program>> = {
  'evicts nothing': () => Promise.resolve([]),
  'evicts every proposal': async (recording) => proposed(await run(recording, behind(recording.policy))),
  'evicts every proposal of the recorded strategy': async (recording) =>
    proposed(await run(recording, recording.policy)),
  'skips the second strategy': async (recording) =>
    victims(await run(recording, behind(recording.policy), withoutSecond)),
  'evicts every second victim': async (recording) => (await alone(recording)).filter((_, index) => index % 2 === 0),
};

/** The namespace that has nothing but pods of DaemonSets in these clusters. */
const PROTECTED = 'kube-system';

function behind({ profiles: [profile], ...policy }: PolicyText): PolicyText {
  const { plugins, pluginConfig } = profile;
  const first = { name: 'PodLifeTime', args: { maxPodLifeTimeSeconds: 1, namespaces: { include: [PROTECTED] } } };
  const enabled = [first.name, ...(plugins['deschedule']?.enabled ?? [])];
  const changed = {
    ...profile,
    pluginConfig: [...pluginConfig, first],
    plugins: { ...plugins, deschedule: { enabled } },
  };
  return { ...policy, profiles: [changed] };
}

function withoutSecond(policy: Policy): Policy {
  const profiles = policy.profiles.map((profile) => {
    const [first, second] = [...profile.deschedule, ...profile.balance];
    const others = (list: typeof profile.balance) => list.filter((one) => first === one || second !== one);
    return { ...profile, deschedule: others(profile.deschedule), balance: others(profile.balance) };
  });
  return { ...policy, profiles };
}

async function run(
  { snapshot, now }: Recording,
  text: PolicyText,
  change = (policy: Policy): Policy => policy,
): Promise<CycleReport> {
  const loaded = loadPolicy(JSON.stringify(text));
  assert.ok(loaded.ok, 'the policy of the recording loads');
  const source = { kind: 'dump', name: 'recording', now, nowFrom: 'dump' } as const;
  const ports = {
    cluster: () => Promise.resolve({ snapshot, source, warnings: [] }),
    usage: recordedUsage,
    evict: dryRunEvict,
    observe: () => undefined,
    clock: new VirtualClock(Date.parse(now)),
  };
  return runCycle(change(loaded.policy), ports, { dryRun: true, signal: new AbortController().signal });
}

function proposed({ evictions, refusals }: CycleReport): Plan {
  return [...new Set([...evictions, ...refusals].map(({ pod }) => pod))];
}

function victims({ evictions }: CycleReport): Plan {
  return evictions.map(({ pod }) => pod);
}
