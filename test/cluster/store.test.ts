import assert from 'node:assert/strict';
import type { Decoded } from '../../src/cluster/decode/decode.ts';
import type { Lease } from '../../src/cluster/objects/kinds.ts';
import { ClusterStore, type StoreChange } from '../../src/cluster/store.ts';
import { budget, labels, node, on, pod, uid } from '../builders/cluster.ts';

const v = (object: Decoded['object'], resourceVersion = '1'): Decoded => ({ object, resourceVersion });

/** A store and what it has announced, a line each. */
function followed(): { readonly store: ClusterStore; readonly said: string[]; readonly stop: () => void } {
  const store = new ClusterStore();
  const said: string[] = [];
  const stop = store.subscribe((announced) => said.push(lineOf(announced)));
  return { store, said, stop };
}

function lineOf(announced: StoreChange): string {
  if (announced.kind !== 'Pod') return `${announced.kind} ${announced.namespace}/${announced.name} ${announced.uid}`;
  return `Pod ${announced.uid} on ${announced.nodeName || '-'}${announced.isBound ? ', bound' : ''}`;
}

describe('the store', () => {
  it('announces what is put and deleted, and says when a pod gets its node', () => {
    const { store, said } = followed();
    store.apply({ type: 'put', ...v(node('n')) });
    store.apply({ type: 'put', ...v(pod('p')) });
    store.apply({ type: 'put', ...v(pod('p', on('n')), '2') });
    store.apply({ type: 'put', ...v(pod('p', on('n'), labels({ a: 'b' })), '3') });
    store.apply({ type: 'delete', ...v(pod('p', on('n')), '4') });
    assert.deepEqual(said, [
      'Node /n uid-n',
      'Pod uid-default-p on -',
      'Pod uid-default-p on n, bound',
      'Pod uid-default-p on n',
      'Pod uid-default-p on n',
    ]);
    assert.deepEqual([store.pod('uid-default-p'), [...store.podsOn('n')]], [undefined, []]);
  });

  it('ignores the deletion of what is not there', () => {
    const { store, said } = followed();
    store.apply({ type: 'delete', ...v(pod('p')) });
    assert.deepEqual(said, []);
  });

  it('finds what was deleted while nobody looked, by UID, and announces only what differs', () => {
    const { store, said } = followed();
    store.replaceAll('Pod', [v(pod('a', on('n'))), v(pod('b', on('n'))), v(pod('c', on('n')))]);
    said.length = 0;
    store.replaceAll('Pod', [v(pod('a', on('n'))), v(pod('b', on('n'), uid('another'))), v(pod('c', on('m')), '2')]);
    assert.deepEqual(said, ['Pod uid-default-b on n', 'Pod another on n, bound', 'Pod uid-default-c on m, bound']);
    assert.deepEqual(
      [...store.podsOn('n')].map(({ uid: id }) => id),
      ['uid-default-a', 'another'],
    );
  });

  it('announces a list after all of it is in place', () => {
    const store = new ClusterStore();
    const counts: number[] = [];
    store.subscribe(() => counts.push([...store.podsOn('n')].length));
    store.replaceAll('Pod', [v(pod('a', on('n'))), v(pod('b', on('n')))]);
    assert.deepEqual(counts, [2, 2]);
  });

  it('takes a list without versions for changed: it cannot know', () => {
    const { store, said } = followed();
    store.replaceAll('Node', [v(node('n'), '')]);
    store.replaceAll('Node', [v(node('n'), '')]);
    assert.equal(said.length, 2);
  });

  it('is synced kind by kind, and tells so after the list is announced', () => {
    const { store, said } = followed();
    store.whenSynced(['Node', 'Pod'], () => said.push('synced'));
    store.replaceAll('Node', []);
    assert.deepEqual([said, store.isSynced('Node'), store.isSynced('Node', 'Pod')], [[], true, false]);
    store.replaceAll('Pod', [v(pod('p'))]);
    assert.deepEqual(said, ['Pod uid-default-p on -', 'synced']);
    store.whenSynced(['Node'], () => said.push('again'));
    assert.equal(said.at(-1), 'again');
    store.replaceAll('Pod', []);
    assert.deepEqual(said.slice(3), ['Pod uid-default-p on -']);
  });

  it('keeps a node that was made again when the old one is deleted afterwards', () => {
    const { store } = followed();
    store.apply({ type: 'put', ...v(node('n')) });
    store.apply({ type: 'put', ...v(node('n', uid('new')), '2') });
    store.apply({ type: 'delete', ...v(node('n'), '3') });
    assert.deepEqual([store.node('n')?.object.uid, store.node('n')?.resourceVersion], ['new', '2']);
  });

  it('has nodes by name, Leases of kube-node-lease by node, and others as a snapshot wants them', () => {
    const lease = (namespace: string): Lease => ({
      kind: 'Lease',
      name: 'a',
      namespace,
      uid: `lease-${namespace}`,
      labels: {},
      holder: 'a',
      renewedAt: 1,
      durationSeconds: 40,
    });
    const { store } = followed();
    store.replaceAll('Node', [v(node('b')), v(node('a'))]);
    store.replaceAll('Lease', [v(lease('kube-system')), v(lease('kube-node-lease'))]);
    store.replaceAll('PodDisruptionBudget', [v(budget('x', 'a=b'))]);
    assert.deepEqual(
      store.nodes.map(({ name }) => name),
      ['a', 'b'],
    );
    assert.equal(store.lease('a')?.uid, 'lease-kube-node-lease');
    const { others } = store.contents();
    assert.deepEqual([Object.keys(others).sort(), others.Service], [['Lease', 'PodDisruptionBudget'], undefined]);
    assert.equal(store.count('Lease'), 2);
    store.apply({ type: 'delete', ...v(lease('kube-node-lease')) });
    assert.equal(store.lease('a'), undefined);
  });

  it('tells nothing more to one that has unsubscribed', () => {
    const { store, said, stop } = followed();
    stop();
    store.apply({ type: 'put', ...v(node('n')) });
    assert.deepEqual(said, []);
  });
});
