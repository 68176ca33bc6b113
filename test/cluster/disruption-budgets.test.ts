import assert from 'node:assert/strict';
import { budgetsOf } from '../../src/cluster/rules/disruption-budgets.ts';
import { budget, labels, namespace, pod, snapshot } from '../builders/cluster.ts';

describe('budgetsOf', () => {
  const cluster = snapshot(
    budget('z-web', 'app=web'),
    budget('all', ''),
    budget('nobody', '', { selector: undefined }),
    budget('broken', '', {
      selector: { matchLabels: {}, matchExpressions: [{ key: 'app', operator: 'NotIn', values: [] }] },
    }),
    budget('other', 'app=web', { namespace: 'other' }),
  );

  it('those of the namespace that select the pod, by name; nil and broken selectors select nobody', () => {
    const names = budgetsOf(pod('p', labels({ app: 'web' })), cluster).map(({ name }) => name);
    assert.deepEqual(names, ['all', 'z-web']);
  });

  it('an empty selector selects every pod of its namespace', () => {
    const names = budgetsOf(pod('p', labels({ app: 'db' })), cluster).map(({ name }) => name);
    assert.deepEqual(names, ['all']);
  });

  it('another namespace has its own', () => {
    const names = budgetsOf(pod('p', namespace('other'), labels({ app: 'web' })), cluster).map(({ uid }) => uid);
    assert.deepEqual(names, ['uid-other-other']);
  });

  it('a namespace or cluster without budgets has none', () => {
    assert.deepEqual(budgetsOf(pod('p', namespace('quiet')), cluster), []);
    assert.deepEqual(budgetsOf(pod('p'), snapshot()), []);
  });

  it('every snapshot is asked for its own budgets', () => {
    const p = pod('p', labels({ app: 'web' }));
    const answers = [cluster, snapshot(budget('late', 'app=web')), cluster].map((each) =>
      budgetsOf(p, each).map(({ name }) => name),
    );
    assert.deepEqual(answers, [['all', 'z-web'], ['late'], ['all', 'z-web']]);
  });
});
