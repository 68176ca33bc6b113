import { isIP } from 'node:net';
import { InvalidArgumentError, type Command } from 'commander';
import type { Timing } from '../descheduler/loop.ts';
import { parseDuration } from '../lib/duration.ts';
import { addTlsFlags, type TlsFlags } from './tls-flags.ts';
import { collect, parsePath } from './values.ts';

/** Flags of `run` that concern a live cluster, as typed values. Durations in ms. */
export interface LiveFlags extends ConnectFlags, TlsFlags {
  readonly deschedulingInterval?: number;
  readonly schedule?: readonly string[];
  readonly timeZone?: string;
  readonly bindAddress?: string;
  readonly securePort?: number;
  readonly insecurePort?: number;
  readonly disableMetrics?: boolean;
}

/** Flags that say which cluster, and how fast it may be asked. */
export interface ConnectFlags {
  readonly kubeconfig?: string;
  readonly clientConnectionKubeconfig?: string;
  readonly context?: string;
  readonly clientConnectionQps?: number;
  readonly clientConnectionBurst?: number;
}

/** Adds them, in the order in which the help shows them. */
export function addLiveFlags(run: Command): void {
  addConnectFlags(run);
  run
    .option('--descheduling-interval <duration>', 'a cycle every so often, such as 5m; 0: once', parseInterval)
    .option('--schedule <cron>', 'cycles at these times, such as "*/10 8-17 * * 1-5"; may be repeated', collect)
    .option('--time-zone <zone>', 'of the schedule, such as Europe/Berlin; by default that of the machine', parseZone);
  addServingFlags(run);
}

/** Adds the flags that say which cluster. */
export function addConnectFlags(command: Command): void {
  command
    .option('--kubeconfig <file>', 'which cluster; else that of the pod, $KUBECONFIG, ~/.kube/config', parsePath)
    .option('--client-connection-kubeconfig <file>', 'the same', parsePath)
    .option('--context <name>', 'of the kubeconfig, instead of its current one')
    .option('--client-connection-qps <number>', 'requests a second at most; 0 or less: no limit', parseAmount)
    .option('--client-connection-burst <number>', 'requests at once when there is a limit, 10 by default', parseAmount);
}

/** Adds the flags of what is served. */
export function addServingFlags(command: Command): void {
  command
    .option('--secure-port <port>', 'for /healthz, /readyz and /metrics, 10258 by default; 0: none', parsePort)
    .option('--bind-address <address>', 'IP address they are served on; by default all of IPv4 and IPv6', parseAddress)
    .option('--insecure-port <port>', 'the same without TLS; 0, the default: none', parsePort)
    .option('--disable-metrics', 'serves no /metrics');
  addTlsFlags(command);
}

/** What does not go together, and what a recorded cluster has no use for. */
export function liveFlagProblems(flags: LiveFlags & { readonly fromDump?: readonly string[] }): readonly string[] {
  return [...(flags.fromDump ? uselessWithDump(flags) : []), ...contradictions(flags)];
}

/** When cycles run. */
export function timingOf({ schedule, timeZone, deschedulingInterval = 0 }: LiveFlags): Timing {
  if (schedule) return { kind: 'schedule', expressions: schedule, timeZone };
  return deschedulingInterval > 0 ? { kind: 'interval', intervalMs: deschedulingInterval } : { kind: 'once' };
}

function uselessWithDump(flags: LiveFlags): readonly string[] {
  const given = [
    flags.kubeconfig !== undefined && '--kubeconfig',
    flags.clientConnectionKubeconfig !== undefined && '--client-connection-kubeconfig',
    flags.context !== undefined && '--context',
    (flags.deschedulingInterval ?? 0) > 0 && '--descheduling-interval',
    flags.schedule !== undefined && '--schedule',
  ].filter((name) => name !== false);
  return given.map((name) => `${name} does not go with --from-dump: no cluster is asked, and a dump does not change`);
}

function contradictions(flags: LiveFlags): readonly string[] {
  const { kubeconfig, clientConnectionKubeconfig, schedule, timeZone, deschedulingInterval = 0 } = flags;
  const problems: string[] = [];
  if (kubeconfig !== undefined && ![kubeconfig, undefined].includes(clientConnectionKubeconfig))
    problems.push('--kubeconfig and --client-connection-kubeconfig mean the same: give one of them');
  if (schedule && deschedulingInterval > 0)
    problems.push('--schedule and --descheduling-interval exclude each other: give one of them');
  if (timeZone !== undefined && !schedule) problems.push('--time-zone goes only with --schedule');
  if ((flags.tlsCertFile === undefined) !== (flags.tlsPrivateKeyFile === undefined))
    problems.push('--tls-cert-file and --tls-private-key-file go together: give both or none');
  return problems;
}

function parseAmount(text: string): number {
  if (!/^-?\d+(\.\d+)?$/u.test(text)) throw new InvalidArgumentError('It takes a number.');
  return Number(text);
}

function parseInterval(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 0) throw new InvalidArgumentError('It takes a duration like 5m or 1h30m.');
  return ms;
}

function parseZone(text: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    throw new InvalidArgumentError('It takes a time zone like Europe/Berlin or UTC.');
  }
}

function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It takes an IP address like 0.0.0.0, :: or 127.0.0.1.');
  return text;
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/u.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It takes a port up to 65535.');
  return Number(text);
}
