import assert from 'node:assert/strict';
import stringWidth from 'string-width';
import { renderTable } from '../../src/report/table.ts';
import { namespace, on, pod } from '../builders/cluster.ts';
import { eviction, fullReport, ran, refusal, report } from './samples.ts';

const plain = { width: 80, colors: false };

const EXPECTED = `Descheduling plan (dry run: nothing was changed)
Source   dump cluster.json
Time     2026-01-01T12:00:00Z, from --now
Cluster  3 nodes (2 ready), 5 pods

STRATEGY            PROFILE      EVICT    REFUSED
RemoveDuplicates    main             1          3
LowNodeUtilization  main             0          0
total                                1          3

RemoveDuplicates: 1 pod would be evicted, 3 refusals
  → shop/web-7d9f8b6c5-x2x4z on n1
    why: is one of 3 pods of ReplicaSet web on n1
    to:  fits on 2 nodes, likely n2, n3
  stay: 2 by PodsWithLocalStorage, 1 by nodeFit

LowNodeUtilization: nothing to do
  note: n1 is over no target threshold: cpu 40 of 60%

Why pods stay
      2  PodsWithLocalStorage
         e.g. shop/cache-0 has the emptyDir volume scratch
         setting: podProtections.defaultDisabled: [PodsWithLocalStorage] in the
                  args of DefaultEvictor (older: evictLocalStoragePods: true)
      1  nodeFit
         e.g. shop/web-7d9f8b6c5-x2x4z fits on no other node
         setting: more room on the other nodes; nodeFit: false evicts without
                  looking for a place

Warnings
  ! no PodDisruptionBudget objects were read

1 pod would be evicted, 3 refusals
`;

describe('the table', () => {
  it('shows totals, each strategy, why pods stay with the setting, and warnings', () => {
    const web = pod('web-7d9f8b6c5-x2x4z', namespace('shop'), on('n1'));
    const cache = pod('cache-0', namespace('shop'), on('n1'));
    const text = renderTable(
      report({
        evictions: [eviction(web)],
        refusals: [
          refusal(cache),
          refusal(web),
          refusal(web, { refusedBy: 'nodeFit', reason: 'fits on no other node' }),
        ],
        strategies: [
          ran('RemoveDuplicates', { proposed: 4, evicted: 1, refused: 3 }),
          ran('LowNodeUtilization', { notes: ['n1 is over no target threshold: cpu 40 of 60%'] }),
        ],
        warnings: ['no PodDisruptionBudget objects were read'],
      }),
      plain,
    );
    assert.equal(text, EXPECTED);
  });

  it('leaves out profiles that are named after their one strategy, as those of a converted v1alpha1 policy are', () => {
    const strategies = ['RemoveDuplicates', 'RemovePodsViolatingInterPodAntiAffinity'].map((name) =>
      ran(name, { profile: `strategy-${name}-profile` }),
    );
    const [, totals, ...blocks] = renderTable(report({ strategies }), plain).split('\n\n');
    assert.deepEqual(totals?.split('\n'), [
      'STRATEGY                                     EVICT    REFUSED',
      'RemoveDuplicates                                 0          0',
      'RemovePodsViolatingInterPodAntiAffinity          0          0',
      'total                                            0          0',
    ]);
    assert.deepEqual(blocks.slice(0, 2), [
      'RemoveDuplicates: nothing to do',
      'RemovePodsViolatingInterPodAntiAffinity: nothing to do',
    ]);
  });

  it('names the profile in the heading where there are several, wrapped', () => {
    const strategies = ['nodes-of-the-first-of-three-availability-zones', 'b'].map((profile) =>
      ran('RemoveDuplicates', { profile }),
    );
    const blocks = renderTable(report({ strategies }), plain).split('\n\n');
    assert.deepEqual(blocks.slice(2, 4), [
      'RemoveDuplicates of profile nodes-of-the-first-of-three-availability-zones:\n  nothing to do',
      'RemoveDuplicates of profile b: nothing to do',
    ]);
  });

  it('leaves wide letters the room they take', () => {
    const strategies = ['本番環境のプロファイル', 'b'].map((profile) =>
      ran('RemoveDuplicates', { profile, evicted: 1 }),
    );
    const web = pod('ウェブ'.repeat(20), namespace('店'), on('n1'));
    const refusals = [refusal(web, { reason: '絵文字🙂'.repeat(20) })];
    const lines = renderTable(report({ strategies, refusals }), plain).split('\n');
    assert.deepEqual(lines.slice(5, 8), [
      'STRATEGY          PROFILE                     EVICT    REFUSED',
      'RemoveDuplicates  本番環境のプロファイル          1          0',
      'RemoveDuplicates  b                               1          0',
    ]);
    assert.deepEqual(
      lines.filter((line) => stringWidth(line) > 80),
      [],
    );
  });

  it('says that no strategy ran', () => {
    const text = renderTable(report({ warnings: ['cycle skipped: it takes two usable nodes'] }), plain);
    assert.match(text, /\n\nNo strategy ran\.\n\nWarnings\n {2}! cycle skipped/);
  });

  for (const width of [60, 80, 120]) {
    it(`never exceeds ${width} columns`, () => {
      const lines = renderTable(fullReport(), { width, colors: false }).split('\n');
      assert.deepEqual(
        lines.filter((line) => line.length > width),
        [],
      );
    });
  }

  it('carries no escape sequence without colours, and the same text with them', () => {
    const bare = renderTable(fullReport(), plain);
    const colored = renderTable(fullReport(), { width: 80, colors: true });
    assert.doesNotMatch(bare, /\u001b/);
    assert.match(colored, /\u001b\[/);
    assert.equal(colored.replaceAll(/\u001b\[\d+m/g, ''), bare);
  });

  it('marks a failed eviction with its error', () => {
    assert.match(renderTable(fullReport(), plain), /✗ a-long-namespace\/[\s\S]*failed: may not evict/);
  });
});
