import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ElectionOptions } from '../kube/lease-lock.ts';
import { parseDuration } from '../lib/duration.ts';

/** The flags of the Go descheduler for one active instance among several (rule C16). Durations in ms. */
export interface ElectionFlags {
  readonly leaderElect?: boolean;
  readonly leaderElectLeaseDuration?: number;
  readonly leaderElectRenewDeadline?: number;
  readonly leaderElectRetryPeriod?: number;
  readonly leaderElectResourceLock?: string;
  readonly leaderElectResourceName?: string;
  readonly leaderElectResourceNamespace?: string;
}

/** What is taken where a flag is not given. */
export type ElectionDefaults = Pick<
  ElectionOptions,
  'name' | 'namespace' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'
>;

/** Those of client-go and kube-controller-manager. */
export const LIFECYCLE_ELECTION: ElectionDefaults = {
  ...{ namespace: 'kube-system', name: 'evenkeel-lifecycle' },
  ...{ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
};

/** Those of the Go descheduler (rule C16). */
export const DESCHEDULER_ELECTION: ElectionDefaults = {
  ...{ namespace: 'kube-system', name: 'descheduler' },
  ...{ leaseDurationMs: 137_000, renewDeadlineMs: 107_000, retryPeriodMs: 26_000 },
};

/** Adds them; `isOn` says in words when election is on by default. */
export function addElectionFlags(command: Command, isOn: string): void {
  command
    .option('--leader-elect [boolean]', `only the instance that holds a Lease acts; ${isOn}`, parseBoolean)
    .option('--leader-elect-lease-duration <duration>', 'after which others take the Lease', parsePositive)
    .option('--leader-elect-renew-deadline <duration>', 'after which one that cannot renew gives up', parsePositive)
    .option('--leader-elect-retry-period <duration>', 'between two tries', parsePositive)
    .addOption(new Option('--leader-elect-resource-lock <kind>', 'of the lock').choices(['leases']))
    .option('--leader-elect-resource-name <name>', 'of the Lease', parseName)
    .option('--leader-elect-resource-namespace <name>', 'of the Lease', parseName);
}

/** The election that the flags ask for, under an identity that no other process has. */
export function electionOf(flags: ElectionFlags, defaults: ElectionDefaults): ElectionOptions {
  return {
    name: flags.leaderElectResourceName ?? defaults.name,
    namespace: flags.leaderElectResourceNamespace ?? defaults.namespace,
    leaseDurationMs: flags.leaderElectLeaseDuration ?? defaults.leaseDurationMs,
    renewDeadlineMs: flags.leaderElectRenewDeadline ?? defaults.renewDeadlineMs,
    retryPeriodMs: flags.leaderElectRetryPeriod ?? defaults.retryPeriodMs,
    identity: `${hostname()}_${randomUUID()}`,
  };
}

/** client-go's rules for the three times, or two instances could lead at once. */
export function electionProblems(flags: ElectionFlags, defaults: ElectionDefaults): readonly string[] {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = electionOf(flags, defaults);
  const problems: string[] = [];
  if (leaseDurationMs <= renewDeadlineMs)
    problems.push('--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline');
  if (renewDeadlineMs <= retryPeriodMs * 1.2)
    problems.push('--leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period');
  return problems;
}

function parseBoolean(text: string): boolean {
  if (/^(?:1|t|true)$/iu.test(text)) return true;
  if (/^(?:0|f|false)$/iu.test(text)) return false;
  throw new InvalidArgumentError('It is true or false.');
}

function parsePositive(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('It takes a duration like 15s.');
  return ms;
}

function parseName(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/u.test(text))
    throw new InvalidArgumentError('It takes the name of an object.');
  return text;
}
