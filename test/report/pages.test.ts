import assert from 'node:assert/strict';
import { renderHtml } from '../../src/report/html.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { namespace, on, pod } from '../builders/cluster.ts';
import { eviction, fullReport, ran, refusal, report } from './samples.ts';

describe('the Markdown report', () => {
  it('is a table a strategy, with text that would be markup escaped', () => {
    const web = pod('web-0', namespace('shop'), on('n1'));
    const text = renderMarkdown(
      report({
        evictions: [eviction(web, { reason: 'has a|b and *c*' })],
        refusals: [refusal(web)],
        strategies: [ran('RemoveDuplicates', { notes: ['a note'] })],
        warnings: ['a warning'],
      }),
    );
    assert.equal(
      text,
      `# Descheduling plan (dry run: nothing was changed)

- **Source**: dump cluster.json
- **Time**: 2026-01-01T12:00:00Z, from --now
- **Cluster**: 3 nodes (2 ready), 5 pods

**1 eviction, 1 refusal, 0 failed**

## RemoveDuplicates

Profile main, balance: 1 pod would be evicted, 1 refusal.

| pod | node | why | to | result |
| --- | --- | --- | --- | --- |
| shop/web-0 | n1 | has a\\|b and \\*c\\* | fits on 2 nodes, likely n2, n3 | would be evicted |

- a note

## Why pods stay

| refusals | by | for example | setting that would change it |
| --- | --- | --- | --- |
| 1 | PodsWithLocalStorage | shop/web-0 has the emptyDir volume scratch | podProtections.defaultDisabled: \\[PodsWithLocalStorage\\] in the args of DefaultEvictor (older: evictLocalStoragePods: true) |

## Warnings

- a warning
`,
    );
  });
});

describe('the HTML report', () => {
  const page = renderHtml(fullReport());

  it('is one page that loads nothing', () => {
    assert.match(page, /^<!doctype html>\n<html lang="en">/);
    assert.doesNotMatch(page, /<(script|link|img)|https?:/);
  });

  it('shows every eviction, refusal, note and warning with signs escaped', () => {
    for (const text of [
      'shop/web-7d9f8b6c5-x2x4z',
      'has &lt;b&gt;|markup*',
      'looked at 2 nodes',
      'failed: may not evict',
    ]) {
      assert.ok(page.includes(text), text);
    }
    assert.doesNotMatch(page, /<b>/);
  });

  it('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)/gu)) {
      if (name === 'meta') continue;
      if (slash === '') open.push(name);
      else assert.equal(open.pop(), name);
    }
    assert.deepEqual(open, []);
  });
});
