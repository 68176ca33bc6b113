import { createApiServer, type ApiServer } from '../../src/kube/http/api-server.ts';
import { CredentialSource } from '../../src/kube/auth/credentials.ts';
import type { ApiAnswer } from '../../src/kube/http/failure.ts';
import { listPages } from '../../src/kube/watch/list.ts';
import type { Page } from '../../src/kube/watch/page.ts';
import { kindsToRead, PATHS } from '../../src/kube/http/paths.ts';
import { readCluster } from '../../src/kube/watch/source.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Reads a cluster, or downloads the same pages over the same connection and drops them; prints what that took. */
const [mode, kubeconfig] = process.argv.slice(2);
const source = new CredentialSource({ kubeconfig, context: undefined, env: {} }, systemClock);
const server = createApiServer(source, { clock: systemClock, userAgent: 'bench' });
const startedAt = performance.now();
const pods = mode === 'drop' ? await drop(server) : await read(server);
const seconds = (performance.now() - startedAt) / 1000;
server.close();
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
process.stdout.write(JSON.stringify({ pods, seconds, cpuSeconds, megabytes: maxRSS / 1024 }));

async function read(over: ApiServer): Promise<number> {
  const { contents } = await readCluster(over, { clock: systemClock });
  return contents.pods.length;
}

async function drop(over: ApiServer): Promise<number> {
  let bytes = 0;
  const open = (page: Buffer): ApiAnswer<Page<never>> => {
    bytes += page.length;
    const next = /"continue":"([^"]*)"/.exec(page.toString('latin1', 0, 1_000))?.[1] ?? '';
    const items = () => ({ ok: true as const, value: [] });
    return { ok: true, value: { head: { next, resourceVersion: '', remaining: undefined }, items } };
  };
  const list = (path: string) =>
    listPages(over.call, { path, open, take: () => undefined, restart: () => undefined }, { clock: systemClock });
  const kinds = kindsToRead(false);
  await Promise.all(['Pod' as const, 'Node' as const].map((kind) => list(PATHS[kind])));
  await Promise.all(kinds.slice(2).map((kind) => list(PATHS[kind])));
  return bytes;
}
