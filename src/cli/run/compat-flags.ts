import { Option, type Command } from 'commander';
import { parseDuration } from '../../lib/duration.ts';

/**
 * A flag of the Go descheduler that this program takes although nothing here needs it: accepted where its value asks for what
 * happens anyway, refused by name where it asks for more (docs/flags.md).
 */
export interface CompatFlag {
  /** The name with its dashes. */
  readonly name: string;
  readonly takes: 'value' | 'nothing';
  /** Why this value cannot be honoured, completing "--flag …"; undefined where it asks for nothing. */
  readonly refusal: (value: string) => string | undefined;
}

const HTTP2 = 'asks for HTTP/2, which is not served: health and metrics go over HTTP/1.1';
const SHARING = 'is not possible here: give each instance an address or port of its own';
const SPLIT = 'is not possible here: the log goes to standard error, the report to standard output';

/** Feature gates that a list may name, and the values that ask for nothing. */
const GATES: Readonly<Record<string, readonly string[]>> = {
  EvictionsInBackground: ['false'],
  AllAlpha: ['false'],
  AllBeta: ['false', 'true'],
};

/** Every one of them; tracing is off without an endpoint, whatever the other flags of it say. */
export const COMPAT_FLAGS: readonly CompatFlag[] = [
  value('otel-collector-endpoint', () => 'asks for tracing, which is not built: leave it out or empty'),
  ...['otel-transport-ca-cert', 'otel-service-name', 'otel-trace-namespace', 'otel-sample-rate'].map((name) =>
    value(name),
  ),
  flag('otel-fallback-no-op-on-error'),
  flag('enable-http2', () => HTTP2),
  flag('disable-http2-serving'),
  value('http2-max-streams-per-connection'),
  flag('permit-port-sharing', () => SHARING),
  flag('permit-address-sharing', () => SHARING),
  value('feature-gates', gatesProblem),
  value('vmodule', () => 'is not possible here: -v sets one level for the whole program'),
  value('log-flush-frequency', (text) =>
    parseDuration(text) === undefined ? `takes a duration such as 5s, not "${text}"` : undefined,
  ),
  ...['log-json-info-buffer-size', 'log-text-info-buffer-size'].map((name) => value(name)),
  ...['log-json-split-stream', 'log-text-split-stream'].map((name) => flag(name, () => SPLIT)),
];

/** Adds them, without a word in the help. */
export function addCompatFlags(command: Command): void {
  for (const { name, takes } of COMPAT_FLAGS) {
    command.addOption(new Option(takes === 'value' ? `${name} <value>` : name).hideHelp());
  }
}

/** What is refused of those that were given, all at once; `given` holds them as commander does. */
export function compatProblems(given: Readonly<Record<string, unknown>>): readonly string[] {
  return COMPAT_FLAGS.flatMap(({ name, refusal }) => {
    const value = given[optionKey(name)];
    if (typeof value !== 'string' && value !== true) return [];
    const why = refusal(value === true ? 'true' : value);
    return why === undefined ? [] : [`${name} ${why}`];
  });
}

function value(name: string, refusal: CompatFlag['refusal'] = () => undefined): CompatFlag {
  return { name: `--${name}`, takes: 'value', refusal };
}

function flag(name: string, refusal: CompatFlag['refusal'] = () => undefined): CompatFlag {
  return { name: `--${name}`, takes: 'nothing', refusal };
}

function gatesProblem(list: string): string | undefined {
  for (const entry of list.split(',').map((text) => text.trim())) {
    const [gate = '', setting = ''] = entry.split('=');
    if (entry === '') continue;
    const harmless = GATES[gate];
    if (!harmless) return `names the unknown gate ${gate}; known are ${Object.keys(GATES).join(', ')}`;
    if (!harmless.includes(setting.toLowerCase()))
      return `sets ${entry}, which is not built: only ${harmless.map((it) => `${gate}=${it}`).join(' and ')} can be had`;
  }
  return undefined;
}

/** The property under which commander keeps a flag: `--leader-elect` as `leaderElect`. */
function optionKey(name: string): string {
  return name.slice(2).replaceAll(/-([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase());
}
