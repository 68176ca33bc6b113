import assert from 'node:assert/strict';
import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { escapeHtml, escapeMarkdown, markdownList, markdownTable } from '../../src/report/markup.ts';

/** Texts of what Markdown acts on, in any order. */
const texts = fc
  .array(
    fc.constantFrom(
      ...'\\`*_~$&[]<>|#+=-.)(!:@"\'1 \n\tab'.split(''),
      ...[
        'http://a.example',
        'www.a.example',
        'me@a.example',
        '&amp;',
        '1. ',
        '- [x] ',
        '# ',
        '<b>',
        '```',
        '[a](b)',
        '^1',
      ],
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('texts in Markdown', () => {
  it('are read as they are, in a list', () => {
    fc.assert(
      fc.property(texts, (text) => {
        assert.equal(readOf(markdownList('', [text, 'next'])), `<ul><li>${shown(text)}</li><li>next</li></ul>`);
      }),
      { numRuns: 1000 },
    );
  });

  it('are read as they are, in a table', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const cells = `<td>${shown(text)}</td><td>next</td>`;
        const table = `<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr>${cells}</tr></tbody></table>`;
        assert.equal(readOf(markdownTable(['a', 'b'], [[text, 'next']])), table);
      }),
      { numRuns: 1000 },
    );
  });

  it('name nobody and refer to nothing', () => {
    assert.equal(readOf(markdownList('', ['1@.www.a.example'])), '<ul><li>1@.www.a.example</li></ul>');
    assert.equal(escapeMarkdown('to @all, see #12 and a@b'), 'to @<!-- -->all, see #<!-- -->12 and a@<!-- -->b');
  });
});

/** What a reader of GitHub's Markdown makes of it, without the comments and the space between elements. */
function readOf(markdown: string): string {
  const html = micromark(`${markdown}\n`, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  return html.replaceAll('<!-- -->', '').replaceAll(/>\s+</gu, '><').trim();
}

/** Spaces at the ends do not show. */
function shown(text: string): string {
  return escapeHtml(text.replaceAll(/\s+/gu, ' ').trim()).replaceAll('&#39;', "'");
}
