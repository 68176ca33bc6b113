import { Option, type Command } from 'commander';
import { nearest } from '../../findings/nearest.ts';
import {
  addElectionFlags,
  DESCHEDULER_ELECTION,
  electionProblems,
  LIFECYCLE_ELECTION,
  type ElectionDefaults,
  type ElectionFlags,
} from '../election-flags.ts';
import { addCompatFlags, COMPAT_FLAGS, compatProblems } from './compat-flags.ts';
import type { LifecycleControllerName } from '../controllers/controllers.ts';
import { addLifecycleFlags, type LifecycleSettings } from '../controllers/flags.ts';
import { addLiveFlags, liveFlagProblems, timingOf, type LiveFlags } from '../live-flags.ts';
import type { Format } from '../render.ts';
import { UserError } from '../session.ts';
import { collect, outputFileOption, outputOption, parseLevel, parseNames, parseNow, parsePath } from '../values.ts';

/** What can run in one process, as `--controllers` names it. */
export type ControllerName = 'descheduler' | LifecycleControllerName;

/** All of them, the default first. */
export const CONTROLLERS: readonly ControllerName[] = ['descheduler', 'node-lifecycle', 'taint-eviction'];

/** The flags of `run` as typed values, after commander has checked each by itself. */
export interface RunFlags extends LiveFlags, ElectionFlags {
  readonly controllers?: readonly ControllerName[];
  readonly ignoreBuiltIn?: boolean;
  readonly settings?: LifecycleSettings;
  readonly policyConfigFile?: string;
  readonly fromDump?: readonly string[];
  readonly now?: Date;
  readonly dryRun?: boolean;
  readonly ignoreUnknownKeys?: boolean;
  readonly ignoreLimits?: boolean;
  readonly output: Format;
  readonly outputFile?: string;
  readonly v: number;
  readonly loggingFormat: 'text' | 'json';
}

/** Flags without a value, which Go's flag parser also takes as `--flag=true`. */
export const RUN_SWITCHES: ReadonlySet<string> = new Set([
  '--dry-run',
  '--ignore-unknown-keys',
  '--ignore-limits',
  '--disable-metrics',
  '--ignore-built-in',
  ...COMPAT_FLAGS.filter((flag) => flag.takes === 'nothing').map((flag) => flag.name),
]);

/** Adds the flags of `run`, in the order in which the help shows them. */
export function addRunFlags(run: Command): void {
  run
    .option('--policy-config-file <file>', 'the policy; a dry run without it takes the built-in default', parsePath)
    .option(
      '--from-dump <path...>',
      'recorded cluster, files or folders; - is standard input; implies --dry-run',
      collect,
    )
    .option('--now <time>', 'RFC 3339; what time it is in the dump', parseNow)
    .option('--dry-run', 'decides and reports, changes nothing')
    .option('--ignore-unknown-keys', 'unknown keys of the policy are warnings, not errors')
    .option('--ignore-limits', 'only in a dry run: the plan without maxNoOf… and limits over time')
    .addOption(outputOption())
    .addOption(outputFileOption())
    .option('-v, --v <level>', 'more of it in the log, from 0', parseLevel, 0)
    .addOption(new Option('--logging-format <format>', 'of the log').choices(['text', 'json']).default('text'));
  addLiveFlags(run);
  addElectionFlags(run, 'off unless --controllers names more than the descheduler');
  run
    .option(
      '--controllers <names>',
      `with commas: ${CONTROLLERS.join(', ')}; the first by default`,
      parseNames(CONTROLLERS),
    )
    .option('--ignore-built-in', "acts although kube-controller-manager's controllers seem to be at work");
  addLifecycleFlags(run);
  addCompatFlags(run);
}

/** The controllers that run beside the descheduler. */
export function lifecycleNames({ controllers }: RunFlags): readonly LifecycleControllerName[] {
  return (controllers ?? []).filter((name) => name !== 'descheduler');
}

/** Which Lease an election is about where flags do not say: the one of `lifecycle` where its controllers run here. */
export function electionDefaults(flags: RunFlags): ElectionDefaults {
  return lifecycleNames(flags).length > 0 ? LIFECYCLE_ELECTION : DESCHEDULER_ELECTION;
}

/** What is wrong with the flags taken together, all at once. Throws UserError. */
export function checkRunFlags(flags: RunFlags, given: Readonly<Record<string, unknown>>): void {
  const problems = [...compatProblems(given), ...combinations(flags)];
  if (problems.length > 0) throw new UserError(problems);
}

/** A word that is neither a flag nor a flag's value: most likely a misspelt command. Throws UserError. */
export function refuseWords(words: readonly string[], root: Command): void {
  const [word] = words;
  if (word === undefined) return;
  const commands = root.commands.map((command) => command.name());
  const meant = nearest(word, commands);
  throw new UserError(
    `unknown command "${word}"; ${meant === undefined ? '"evenkeel --help" lists them' : `did you mean "${meant}"?`}`,
  );
}

function combinations(flags: RunFlags): readonly string[] {
  const { fromDump, now, policyConfigFile, dryRun, ignoreLimits } = flags;
  const problems = [
    ...liveFlagProblems(flags),
    ...electionProblems(flags, electionDefaults(flags)),
    ...together(flags),
  ];
  if (ignoreLimits && !fromDump && !dryRun)
    problems.push('--ignore-limits goes only with --dry-run or --from-dump: a run that evicts keeps its limits');
  if (fromDump) return problems;
  if (now) problems.push('--now goes only with --from-dump: a live cluster has its own clock');
  if (policyConfigFile === undefined && dryRun !== true) {
    const advice = 'give --policy-config-file FILE, try a dry run with --from-dump PATH, or run "evenkeel demo"';
    return [...problems, `no policy: ${advice}`];
  }
  return problems;
}

/** What runs in one process needs a live cluster, and the time to run in. */
function together(flags: RunFlags): readonly string[] {
  const { controllers, fromDump, leaderElect } = flags;
  const problems: string[] = [];
  if (fromDump && leaderElect) problems.push('--leader-elect does not go with --from-dump: nobody else acts on a dump');
  if (controllers && !controllers.includes('descheduler'))
    problems.push(`--controllers=${controllers.join(',')} without descheduler is "evenkeel lifecycle"`);
  if (lifecycleNames(flags).length === 0) return problems;
  if (fromDump) problems.push('--controllers does not go with --from-dump: "evenkeel outage" simulates them on a dump');
  else if (timingOf(flags).kind === 'once')
    problems.push('--controllers with more than descheduler needs --descheduling-interval or --schedule');
  return problems;
}
