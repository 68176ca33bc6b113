import assert from 'node:assert/strict';
import type { WatchedKind } from '../../src/cli/watch/sync.ts';
import { watchCluster } from '../../src/cli/watch/watch-cluster.ts';
import { converse, HastyClock, page, status, type Reply } from '../kube/conversation.ts';

const POD: WatchedKind = { kind: 'Pod', path: '/pods', isRequired: true };
const SERVICE: WatchedKind = { kind: 'Service', path: '/services', isRequired: false };
const quiet: Reply = { hang: 'after head' };
const pods = page([{ metadata: { name: 'a', namespace: 'shop', uid: 'u' }, spec: { nodeName: 'n1' } }]);

describe('a cluster that is watched', () => {
  it('fails those who wait for a required kind that is refused, and no longer once it can be had', async () => {
    const no = status(403, 'pods is forbidden');
    const { result } = await talk({ '/pods': [no, no, pods, quiet] }, [POD]);
    assert.match(
      result.answers[0] ?? '',
      /^cannot watch Pod objects of http:\S+: pods is forbidden; grant list and watch/u,
    );
    assert.equal(result.answers.at(-1), 'synced: 1 pods');
    assert.deepEqual(result.warnings, []);
  });

  it('says which credentials are not taken, and how to mend that', async () => {
    const no = status(401, 'Unauthorized');
    const { result } = await talk({ '/pods': [no, no, pods, quiet] }, [POD]);
    assert.match(
      result.answers[0] ?? '',
      /: Unauthorized\. http:\S+ does not accept these credentials: renew the token/u,
    );
    assert.equal(result.answers.at(-1), 'synced: 1 pods');
  });

  it('says once what goes wrong, until that changes', async () => {
    // A page is tried again for a minute before its list fails, so that this is some lists.
    const broken = Array.from({ length: 60 }, () => status(500, 'broken'));
    const script = { '/pods': [...broken, pods, quiet], '/services': [status(404, 'no')] };
    const { result } = await talk(script, [POD, SERVICE]);
    assert.deepEqual(result.answers, ['synced: 1 pods']);
    assert.deepEqual(
      result.warnings.filter((warning) => warning.includes('/pods')),
      ['watching /pods: broken; trying again'],
    );
  });
});

/** Waits for the cluster again and again until it is there; answers with what each wait came to. */
function talk(script: Readonly<Record<string, readonly Reply[]>>, kinds: readonly WatchedKind[]) {
  return converse(script, async (server) => {
    const warnings: string[] = [];
    const cluster = watchCluster(kinds, { server, clock: new HastyClock(), warn: (text) => void warnings.push(text) });
    const answers: string[] = [];
    while (!answers.at(-1)?.startsWith('synced')) {
      await cluster.synced(new AbortController().signal).then(
        () => answers.push(`synced: ${cluster.store.count('Pod')} pods`),
        (error: unknown) => answers.push((error as Error).message),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    await cluster.stop();
    return { answers, warnings };
  });
}
