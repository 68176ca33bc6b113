import { arch, platform } from 'node:os';
import { createApiServer, type ApiServer, type ApiServerOptions } from '../kube/http/api-server.ts';
import { CredentialSource } from '../kube/auth/credentials.ts';
import { limitRate } from '../kube/http/rate-limit.ts';
import { systemClock } from '../lib/clock.ts';
import type { ConnectFlags } from './live-flags.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

/** As in the Go descheduler, where only the rate is given. */
const USUAL_BURST = 10;

/** What a run wants to be told of, besides what the flags say. */
export type ConnectOptions = Pick<ApiServerOptions, 'wrappers' | 'onCredentials'>;

/** The way to the cluster that flags and environment name; nothing is sent yet. Throws ConnectError. */
export function connect(
  flags: ConnectFlags,
  { env }: Pick<Terminal, 'env'>,
  { wrappers = [], onCredentials }: ConnectOptions = {},
): ApiServer {
  const kubeconfig = flags.kubeconfig ?? flags.clientConnectionKubeconfig;
  const source = new CredentialSource({ kubeconfig, context: flags.context, env }, systemClock);
  const { clientConnectionQps: qps = 0, clientConnectionBurst: burst = 0 } = flags;
  const limit = { qps, burst: burst >= 1 ? burst : USUAL_BURST };
  return createApiServer(source, {
    clock: systemClock,
    userAgent: `evenkeel/${VERSION} (${platform()}/${arch()}) descheduler`,
    wrappers: [...(qps > 0 ? [limitRate(limit, systemClock)] : []), ...wrappers],
    onCredentials,
  });
}
