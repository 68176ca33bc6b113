import { arch, platform } from 'node:os';
import { CredentialSource } from '../kube/credentials.ts';
import { limitRate } from '../kube/rate-limit.ts';
import { createTransport, type Transport } from '../kube/transport.ts';
import { systemClock } from '../lib/clock.ts';
import type { ConnectFlags } from './live-flags.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

/** As in the reference, where only the rate is given (framework.md 4.8). */
const USUAL_BURST = 10;

/** The way to the cluster that flags and environment name; nothing is sent yet. Throws ConnectError. */
export function connect(flags: ConnectFlags, { env }: Pick<Terminal, 'env'>): Transport {
  const source = new CredentialSource({
    kubeconfig: flags.kubeconfig ?? flags.clientConnectionKubeconfig,
    context: flags.context,
    env,
  });
  const transport = createTransport(source, { userAgent: `evenkeel/${VERSION} (${platform()}/${arch()}) descheduler` });
  const { clientConnectionQps: qps = 0, clientConnectionBurst: burst = 0 } = flags;
  return qps > 0 ? limitRate(transport, { qps, burst: burst >= 1 ? burst : USUAL_BURST }, systemClock) : transport;
}
