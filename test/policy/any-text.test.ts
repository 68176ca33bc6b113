import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { formatFindings } from '../../src/findings/format.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { policyText } from './policy-text.ts';

/** Loads or comes back with findings that can be shown, each inside the text; throws nothing. */
function holds(text: string): void {
  const result = loadPolicy(text);
  const findings = result.ok ? result.warnings : result.findings;
  const lines = text.split(/\r\n|\n|\r/).length;
  assert.ok(result.ok || findings.some(({ severity }) => severity === 'error'));
  for (const { line, column } of findings) assert.ok(line >= 1 && line <= lines && column >= 1);
  assert.equal(typeof formatFindings(findings, { file: 'policy.yaml', text }), 'string');
}

const words = [
  ...['apiVersion', 'kind', 'profiles', 'pluginConfig', 'plugins', 'name', 'args', 'enabled', 'strategies', 'params'],
  ...['RemoveDuplicates', 'PodLifeTime', 'DefaultEvictor', 'LowNodeUtilization', 'balance', 'deschedule', 'namespaces'],
  ...['thresholds', 'targetThresholds', 'labelSelector', 'matchExpressions', 'nodeSelector', 'priorityThreshold'],
  ...[
    'metricsProviders',
    'prometheus',
    'podProtections',
    'minPodAge',
    'include',
    'exclude',
    'podLifeTime',
    '__proto__',
  ],
  ...['descheduler/v1alpha1', 'descheduler/v1alpha2', 'DeschedulerPolicy', 'constructor', 'toString'],
];
const word = fc.constantFrom(...words);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string()),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(word, tie('tree'), { maxKeys: 6 }),
  ),
}));

describe('any text', () => {
  it('random text', () =>
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), holds), { numRuns: 300 }));

  it('text of the letters that YAML gives a meaning', () => {
    const unit = fc.constantFrom(...'-:{}[]&*!|>%@`"\'#,? \n\tab1'.split(''));
    fc.assert(fc.property(fc.string({ unit, maxLength: 60 }), holds), { numRuns: 500 });
  });

  it('documents of known words in any shape', () => {
    const document = fc.tuple(
      fc.constantFrom('descheduler/v1alpha1', 'descheduler/v1alpha2'),
      fc.dictionary(word, tree),
    );
    fc.assert(
      fc.property(document, ([apiVersion, rest]) => {
        holds(JSON.stringify({ ...rest, apiVersion, kind: 'DeschedulerPolicy' }));
        holds(stringify({ ...rest, apiVersion }));
      }),
      { numRuns: 150 },
    );
  });

  it('profiles, entries and arguments in any shape', () => {
    const names = fc.constantFrom('RemoveDuplicates', 'PodLifeTime', 'DefaultEvictor', 'LowNodeUtilization', 'Foo');
    const entries = fc.array(fc.record({ name: names, args: tree }), { maxLength: 4 });
    const sets = fc.dictionary(
      fc.constantFrom('balance', 'deschedule', 'filter', 'sort'),
      fc.record({ enabled: fc.array(names) }),
    );
    const profiles = fc.array(fc.record({ name: fc.string(), pluginConfig: entries, plugins: sets }), { maxLength: 3 });
    fc.assert(
      fc.property(profiles, (list) => holds(policyText({ profiles: list }))),
      { numRuns: 150 },
    );
  });

  it('a good policy cut off anywhere, and with any letter changed', () => {
    const text = policyText({
      profiles: [{ name: 'p', pluginConfig: [{ name: 'PodLifeTime', args: { states: ['Running'] } }] }],
    });
    const place = fc.integer({ min: 0, max: text.length });
    fc.assert(
      fc.property(place, (end) => holds(text.slice(0, end))),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(place, fc.string({ minLength: 1, maxLength: 1 }), (at, letter) =>
        holds(text.slice(0, at) + letter + text.slice(at + 1)),
      ),
      { numRuns: 100 },
    );
  });

  for (const [title, text] of [
    ['brackets without end', '['.repeat(50_000)],
    ['lists in lists', '- '.repeat(20_000)],
    ['a billion laughs', laughs()],
    ['an alias to itself', 'apiVersion: &a [*a]'],
    ['an alias to nothing', 'apiVersion: *a'],
    ['a very long line', `kind: ${'x'.repeat(1_000_000)}`],
    ['a byte order mark', '\ufeffapiVersion: descheduler/v1alpha2\n'],
    ['carriage returns', 'apiVersion: descheduler/v1alpha2\rkind: x\r'],
    ['nulls', '\0\0\0'],
  ] as const) {
    it(title, () => holds(text));
  }
});

function laughs(): string {
  const levels = Array.from({ length: 12 }, (_, level) => {
    return level === 0
      ? 'a0: &a0 [x, x]'
      : `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`;
  });
  return levels.join('\n');
}
