import type { Metrics } from '../telemetry/metrics.ts';
import type { Heartbeat } from '../telemetry/heartbeat.ts';
import { serve, type Serving } from '../telemetry/server.ts';
import type { LiveFlags } from './live-flags.ts';
import { UserError } from './session.ts';

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
  const { bindAddress, securePort = USUAL_PORT, tlsCertFile, tlsPrivateKeyFile } = flags;
  const isAsked = flags.securePort !== undefined || flags.bindAddress !== undefined || tlsCertFile !== undefined;
  if (securePort === 0 || !(isAsked || served.isLoop || served.inPod)) return undefined;
  try {
    return await serve({
      address: bindAddress,
      port: securePort,
      tls:
        tlsCertFile === undefined || tlsPrivateKeyFile === undefined
          ? 'self-signed'
          : { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile },
      metrics: flags.disableMetrics ? undefined : served.metrics,
      unhealthy: () => served.heartbeat.unhealthy(),
      ready: () => served.heartbeat.unready(),
    });
  } catch (error) {
    const message = `cannot serve on ${where(bindAddress)}port ${securePort}: ${error instanceof Error ? error.message : String(error)}`;
    if (isAsked || served.isLoop) throw new UserError(`${message}; --secure-port takes another one, or 0 for none`, 1);
    served.warn(`${message}; this run goes on without`);
    return undefined;
  }
}

function where(address: string | undefined): string {
  return address === undefined ? '' : `address ${address}, `;
}
