import { readFileSync } from 'node:fs';
import https from 'node:https';

/** The evictions that nothing but the API server holds up: a list of pods, 64 in flight. Prints seconds and failures. */
const [kubeconfig = '', list = ''] = process.argv.slice(2);
const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
};
const pods = JSON.parse(readFileSync(list, 'utf8')) as readonly { readonly namespace: string; readonly pod: string }[];
const agent = new https.Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });
let [next, failed] = [0, 0];
const startedAt = performance.now();
await Promise.all(Array.from({ length: 64 }, work));
process.stdout.write(JSON.stringify({ seconds: (performance.now() - startedAt) / 1000, failed }));
agent.destroy();

async function work(): Promise<void> {
  for (let pod = pods[next++]; pod; pod = pods[next++]) if ((await evict(pod)) >= 300) failed += 1;
}

function evict({ namespace, pod: name }: (typeof pods)[number]): Promise<number> {
  const body = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } });
  const headers = {
    authorization: `Bearer ${users[0].user.token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const url = `${clusters[0].cluster.server}/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(body);
  });
}
