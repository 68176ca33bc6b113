/** A flag that manifests of the Go descheduler carry and that this version cannot honour (rule C16). */
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
  ...part('tracing', ['otel-collector-endpoint', 'otel-transport-ca-cert', 'otel-service-name']),
  ...part('tracing', ['otel-trace-namespace', 'otel-sample-rate']),
  { name: '--otel-fallback-no-op-on-error', takes: 'nothing', part: 'tracing' },
  { name: '--enable-http2', takes: 'nothing', part: 'finer control of what is served' },
  { name: '--disable-http2-serving', takes: 'nothing', part: 'finer control of what is served' },
  { name: '--permit-port-sharing', takes: 'nothing', part: 'finer control of what is served' },
  { name: '--permit-address-sharing', takes: 'nothing', part: 'finer control of what is served' },
  ...part('finer control of what is served', ['cert-dir']),
  ...part('finer control of what is served', [
    'tls-sni-cert-key',
    'tls-cipher-suites',
    'tls-min-version',
    'tls-curve-preferences',
  ]),
  ...part('finer control of what is served', ['http2-max-streams-per-connection']),
  {
    name: '--feature-gates',
    takes: 'value',
    part: 'feature gates',
    harmless: ['', 'EvictionsInBackground=false', 'AllAlpha=false', 'AllBeta=false', 'AllBeta=true'],
  },
  ...part('the log flags beyond -v and --logging-format', ['vmodule', 'log-flush-frequency']),
  ...part('the log flags beyond -v and --logging-format', ['log-json-info-buffer-size', 'log-json-split-stream']),
  ...part('the log flags beyond -v and --logging-format', ['log-text-info-buffer-size', 'log-text-split-stream']),
];

/** The message for a flag that is refused, or nothing where its value asks for nothing. */
export function laterFlagProblem(flag: LaterFlag, value: string | boolean): string | undefined {
  if (typeof value === 'string' && flag.harmless?.includes(value)) return undefined;
  return `${flag.name} is not built yet: a later version brings ${flag.part}. Leave it out; it is never ignored`;
}

function part(name: string, flags: readonly string[]): readonly LaterFlag[] {
  return flags.map((flag) => ({ name: `--${flag}`, takes: 'value', part: name }));
}
