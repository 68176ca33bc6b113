import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { reportDocument } from '../../src/report/document.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderYaml } from '../../src/report/yaml.ts';
import { namespace, on, pod } from '../builders/cluster.ts';
import { eviction, fullReport, ran, refusal, report } from './samples.ts';

describe('the JSON report', () => {
  it('has the keys of rule C19 in their order, and no times for a dump', () => {
    const web = pod('web-0', namespace('shop'), on('n1'));
    const small = report({
      evictions: [eviction(web)],
      refusals: [refusal(web)],
      strategies: [ran('RemoveDuplicates', { proposed: 2, evicted: 1, refused: 1, notes: ['a note'] })],
      warnings: ['a warning'],
    });
    assert.equal(
      JSON.stringify(reportDocument(small)),
      [
        '{"apiVersion":"evenkeel.io/v1alpha1","kind":"DeschedulingReport","dryRun":true,',
        '"source":{"kind":"dump","name":"cluster.json","now":"2026-01-01T12:00:00Z","nowFrom":"flag"},',
        '"cluster":{"nodes":3,"readyNodes":2,"pods":5},',
        `"evictions":[{"namespace":"shop","pod":"web-0","uid":"${web.uid}","node":"n1","profile":"main",`,
        '"strategy":"RemoveDuplicates","reason":"is one of 3 pods of ReplicaSet web on n1","destinations":2,',
        '"likelyNodes":["n2","n3"],"result":"would-evict"}],',
        '"refusals":[{"namespace":"shop","pod":"web-0","node":"n1","profile":"main","strategy":"RemoveDuplicates",',
        '"refusedBy":"PodsWithLocalStorage","reason":"has the emptyDir volume scratch"}],',
        '"strategies":[{"profile":"main","name":"RemoveDuplicates","extensionPoint":"balance","state":"done","proposed":2,"evicted":1,',
        '"refused":1,"notes":["a note"]}],"warnings":["a warning"],"summary":{"evicted":1,"refused":1,"failed":0,"gone":0,"uncertain":0,',
        '"cutByLimits":[],"complete":true}}',
      ].join(''),
    );
  });

  it('says when a live cycle ran and how long each strategy took', () => {
    const live = report({
      dryRun: false,
      startedAt: Date.UTC(2026, 0, 1),
      finishedAt: Date.UTC(2026, 0, 1, 0, 0, 2),
      source: { kind: 'cluster', name: 'prod', now: '2026-01-01T00:00:00Z', nowFrom: 'clock' },
      strategies: [ran('RemoveDuplicates')],
    });
    const document = parse(renderJson(live)) as Record<string, unknown>;
    assert.equal(document['startedAt'], '2026-01-01T00:00:00.000Z');
    assert.equal(document['finishedAt'], '2026-01-01T00:00:02.000Z');
    assert.deepEqual(document['strategies'], [
      {
        profile: 'main',
        name: 'RemoveDuplicates',
        extensionPoint: 'balance',
        state: 'done',
        proposed: 0,
        evicted: 0,
        refused: 0,
        durationMs: 12,
        notes: [],
      },
    ]);
  });

  it('counts a failed eviction as failed, not as evicted, and carries its error', () => {
    const document = parse(renderJson(fullReport())) as { summary: object; evictions: Record<string, unknown>[] };
    assert.deepEqual(document.summary, {
      ...{ evicted: 2, refused: 4, failed: 1, gone: 0, uncertain: 0 },
      ...{ cutByLimits: [], complete: false, incompleteBecause: 'LowNodeUtilization failed' },
    });
    assert.equal(document.evictions[2]?.['error'], 'may not evict');
  });

  it('is the same document in YAML', () => {
    assert.deepEqual(parse(renderYaml(fullReport())), JSON.parse(renderJson(fullReport())));
  });
});
