import type { Metrics } from '../telemetry/metrics.ts';
import type { Heartbeat } from '../telemetry/heartbeat.ts';
import { serve, type ServeOptions, type Serving } from '../telemetry/server.ts';
import type { LiveFlags } from './live-flags.ts';
import { UserError } from './session.ts';
import { certificateOf, tlsSettings } from './tls-flags.ts';

/** What is served, and whether a run without it makes sense. */
export interface Served {
  readonly heartbeat: Heartbeat;
  readonly metrics: Metrics;
  /** Whether cycles follow one another. */
  readonly isLoop: boolean;
  /** Whether the program runs in a pod, where a probe may ask. */
  readonly inPod: boolean;
  readonly warn: (message: string) => void;
}

const USUAL_PORT = 10_258;

/**
 * Serves health and metrics in a loop, in a pod, and where a flag asks for it; a single run on a desk opens no port. One
 * that cannot be had ends the program (UserError, exit code 1) where it matters: in a loop, or if it was asked for.
 */
export async function startServing(flags: LiveFlags, served: Served): Promise<Serving | undefined> {
  const { securePort = USUAL_PORT, insecurePort = 0, bindAddress } = flags;
  const certificate = certificateOf(flags);
  const isAsked = flags.securePort !== undefined || bindAddress !== undefined || certificate !== undefined;
  const isSecure = securePort !== 0 && (isAsked || served.isLoop || served.inPod);
  const servings: Serving[] = [];
  const closeAll = async () => {
    await Promise.all(servings.map((it) => it.close()));
  };
  try {
    const common = commonOptions(flags, served);
    const settings = tlsSettings(flags);
    if (isSecure)
      servings.push(
        await serve({ ...common, port: securePort, tls: certificate ?? 'self-signed', tlsSettings: settings }),
      );
    if (insecurePort !== 0) servings.push(await serve({ ...common, port: insecurePort, tls: 'plain' }));
  } catch (error) {
    await closeAll();
    const message = `cannot serve on ${where(bindAddress)}port ${isSecure ? securePort : insecurePort}: ${error instanceof Error ? error.message : String(error)}`;
    if (isAsked || served.isLoop || insecurePort !== 0)
      throw new UserError(`${message}; --secure-port takes another one, or 0 for none`, 1);
    served.warn(`${message}; this run goes on without`);
    return undefined;
  }
  const [first] = servings;
  return first && { port: first.port, close: closeAll };
}

function commonOptions(flags: LiveFlags, { metrics, heartbeat }: Served): Omit<ServeOptions, 'port' | 'tls'> {
  return {
    address: flags.bindAddress,
    metrics: flags.disableMetrics ? undefined : metrics,
    unhealthy: () => heartbeat.unhealthy(),
    ready: () => heartbeat.unready(),
  };
}

function where(address: string | undefined): string {
  return address === undefined ? '' : `address ${address}, `;
}
