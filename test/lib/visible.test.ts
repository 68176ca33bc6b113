import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { yamlText } from '../../src/findings/yaml-text.ts';
import { jsonText, visible, visibleData, visibleLines } from '../../src/lib/visible.ts';

const ROWS: readonly (readonly [string, string, string])[] = [
  ['escape and bell', '\u001b]0;title\u0007', '␛]0;title␇'],
  ['line ends, tabs and nothing', 'a\r\n\tb\0', 'a␍␊␉b␀'],
  ['delete and the second set of controls', '\u007f\u009b2J\u0085', '␡\\u009b2J\\u0085'],
  ['directions of reading', '\u202egpj.\u2066x\u2069\u200f', '\\u202egpj.\\u2066x\\u2069\\u200f'],
  ['no width', 'a\u200bb\u200d\ufeff\u00ad\u3164', 'a\\u200bb\\u200d\\ufeff\\u00ad\\u3164'],
  ['separators', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['half a pair', 'a\ud800', 'a\\ud800'],
  ['tags beyond the first plane', 'a\u{e0041}', 'a\\u{e0041}'],
  ['letters of any script stay', 'päivää 日本語 مرحبا 🙂', 'päivää 日本語 مرحبا 🙂'],
];

describe('what could hide or act on a terminal', () => {
  for (const [name, text, expected] of ROWS) {
    it(`is made visible: ${name}`, () => {
      assert.equal(visible(text), expected);
      assert.equal(visible(expected), expected, 'once is enough');
      assert.deepEqual(visibleData({ [text]: [text] }), { [expected]: [expected] });
    });

    it(`is escaped and exact in JSON and YAML: ${name}`, () => {
      const value = { [`key ${text}`]: text, list: [text] };
      for (const [printed, read] of [
        [jsonText(value), JSON.parse(jsonText(value))],
        [jsonText(value, 2), JSON.parse(jsonText(value, 2))],
        [yamlText(value), parse(yamlText(value))],
      ] as const) {
        assert.deepEqual(read, value);
        assert.equal(visibleLines(printed), printed);
      }
    });
  }

  it('data that needs no change is not copied', () => {
    const data = { pods: [{ name: 'web', at: new Date(0) }] };
    assert.equal(visibleData(data), data);
  });

  it('a text of several lines keeps them in YAML and with visibleLines', () => {
    assert.equal(yamlText({ text: 'a\nb\n' }), 'text: |\n  a\n  b\n');
    assert.equal(visibleLines('a\n\u001bb'), 'a\n␛b');
  });
});
