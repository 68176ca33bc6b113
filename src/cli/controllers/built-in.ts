import { findBuiltIns, type BuiltInName, type BuiltInSign } from '../../kube/built-in.ts';
import type { Call } from '../../kube/http/call.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LifecycleControllerName } from './controllers.ts';
import type { Say } from '../say.ts';
import { UserError } from '../session.ts';
import type { WatchedCluster } from '../watch/watch-cluster.ts';

/** What the flags say about it. */
export interface BuiltInFlags {
  readonly mode: 'observe' | 'act';
  readonly controllers: readonly LifecycleControllerName[];
  readonly ignoreBuiltIn?: boolean;
}

/** What is considered. */
export interface BuiltInParts {
  readonly call: Call;
  readonly cluster: WatchedCluster;
  readonly say: Say;
}

/** The part of our user agent that the API server takes for the name of the manager of what we write. */
const OUR_MANAGER = 'evenkeel';

const BUILT_IN: Readonly<Record<LifecycleControllerName, BuiltInName>> = {
  'node-lifecycle': 'node-lifecycle-controller',
  'taint-eviction': 'taint-eviction-controller',
};

/**
 * Refuses to act beside controllers of kube-controller-manager that do the same, naming the flag
 * that switches them off: UserError, exit code 1. Who only observes, or insists, is told.
 */
export async function refuseBuiltIns(flags: BuiltInFlags, { call, cluster, say }: BuiltInParts): Promise<void> {
  const pods = cluster.store.contents().pods;
  const findings = await findBuiltIns({ call, now: systemClock.wall(), ourManager: OUR_MANAGER, pods });
  for (const unsure of findings.unsure) if (flags.mode === 'act') say.warn(unsure);
  const ours = flags.controllers.map((name) => BUILT_IN[name]);
  const doubled = findings.signs.filter(({ controller }) => ours.includes(controller));
  if (doubled.length === 0) return;
  if (flags.mode === 'observe')
    say.info(`${signsText(doubled)}: its decisions are its own, these are what ours would be`);
  else if (flags.ignoreBuiltIn) say.warn(`${signsText(doubled)}; acting anyway because of --ignore-built-in`);
  else throw new UserError(refusal(doubled, ours), 1);
}

function refusal(doubled: readonly BuiltInSign[], ours: readonly BuiltInName[]): string {
  const off = ours.map((name) => `-${name}`).join(',');
  return (
    `${signsText(doubled)}: two of them would decide about the same pods. ` +
    `Start kube-controller-manager with --controllers=*,${off}, or say --ignore-built-in if that is done already`
  );
}

function signsText(signs: readonly BuiltInSign[]): string {
  return signs.map(({ controller, sign }) => `the built-in ${controller} is at work (${sign})`).join(', ');
}
