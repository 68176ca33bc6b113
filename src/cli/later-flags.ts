/** A flag that manifests of the reference carry and that this version cannot honour (framework.md 4.8). */
export interface LaterFlag {
  /** The name with its dashes. */
  readonly name: string;
  readonly takes: 'value' | 'nothing';
  /** What it is a part of, for the message. */
  readonly part: string;
  /** Values that ask for nothing more than what happens anyway. */
  readonly harmless?: readonly string[];
}

/** Flags that are known and refused with a clear message, never ignored. */
export const LATER_FLAGS: readonly LaterFlag[] = [
  ...part('connecting to a live cluster', ['kubeconfig', 'context', 'client-connection-kubeconfig']),
  ...part('connecting to a live cluster', ['client-connection-qps', 'client-connection-burst']),
  { name: '--descheduling-interval', takes: 'value', part: 'running again and again', harmless: ['0', '0s'] },
  ...part('running again and again', ['schedule', 'time-zone']),
  ...part('running several controllers in one process', ['controllers']),
  { name: '--leader-elect', takes: 'nothing', part: 'leader election' },
  ...part('leader election', ['leader-elect-lease-duration', 'leader-elect-renew-deadline']),
  ...part('leader election', ['leader-elect-retry-period', 'leader-elect-resource-lock']),
  ...part('leader election', ['leader-elect-resource-name', 'leader-elect-resource-namespace']),
  ...part('tracing', ['otel-collector-endpoint', 'otel-transport-ca-cert', 'otel-service-name']),
  ...part('tracing', ['otel-trace-namespace', 'otel-sample-rate']),
  { name: '--otel-fallback-no-op-on-error', takes: 'nothing', part: 'tracing' },
  { name: '--disable-metrics', takes: 'nothing', part: 'serving metrics' },
  { name: '--enable-http2', takes: 'nothing', part: 'serving metrics' },
  { name: '--disable-http2-serving', takes: 'nothing', part: 'serving metrics' },
  { name: '--permit-port-sharing', takes: 'nothing', part: 'serving metrics' },
  { name: '--permit-address-sharing', takes: 'nothing', part: 'serving metrics' },
  ...part('serving metrics', ['bind-address', 'secure-port', 'cert-dir', 'tls-cert-file', 'tls-private-key-file']),
  ...part('serving metrics', ['tls-sni-cert-key', 'tls-cipher-suites', 'tls-min-version', 'tls-curve-preferences']),
  ...part('serving metrics', ['http2-max-streams-per-connection']),
  ...part('feature gates', ['feature-gates']),
  ...part('the log flags beyond -v and --logging-format', ['vmodule', 'log-flush-frequency']),
  ...part('the log flags beyond -v and --logging-format', ['log-json-info-buffer-size', 'log-json-split-stream']),
  ...part('the log flags beyond -v and --logging-format', ['log-text-info-buffer-size', 'log-text-split-stream']),
];

/** The message for a flag that is refused, or nothing where its value asks for nothing. */
export function laterFlagProblem(flag: LaterFlag, value: string | boolean): string | undefined {
  if (typeof value === 'string' && flag.harmless?.includes(value)) return undefined;
  return `${flag.name} is not built yet: ${flag.part} comes with a later version. Leave it out; it is not ignored silently`;
}

function part(name: string, flags: readonly string[]): readonly LaterFlag[] {
  return flags.map((flag) => ({ name: `--${flag}`, takes: 'value', part: name }));
}
