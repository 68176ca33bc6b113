import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatFindings } from '../../src/findings/format.ts';
import { loadPolicy } from '../../src/policy/load.ts';

const HEAD = 'apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n';
const MEGABYTE = 1_000_000;
/** The goal is 2 s for a MB; of processor time, and twice as long, since the machine may be slow. */
const MOST_SECONDS = 4;

/** How long it takes to say all that is wrong with a text. */
function secondsFor(text: string): number {
  const before = process.cpuUsage();
  const result = loadPolicy(text);
  const shown = formatFindings(result.ok ? result.warnings : result.findings, { file: 'policy.yaml', text });
  const { user, system } = process.cpuUsage(before);
  assert.ok(shown.length < 200_000, `${shown.length} characters of findings`);
  return (user + system) / 1e6;
}

function answersInTime(text: string): void {
  const seconds = secondsFor(text);
  assert.ok(seconds < MOST_SECONDS, `${seconds} s for ${text.length} characters`);
}

/** So many entries, each with its number. */
function many(count: number, entry: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => entry(index)).join('');
}

const inArgs = (plugin: string, args: string) =>
  `${HEAD}profiles: [{pluginConfig: [{name: ${plugin}, args: {${args}}}]}]`;
const inSet = (names: string) => `${HEAD}profiles: [{plugins: {balance: {enabled: [${names}]}}}]`;
const PULLING = `- pluginConfig:
  - {name: LowNodeUtilization, args: {thresholds: {cpu: 20}, targetThresholds: {cpu: 20}}}
  - {name: HighNodeUtilization, args: {thresholds: {cpu: 20}}}
  plugins: {balance: {enabled: [LowNodeUtilization, HighNodeUtilization]}}
`;

describe('whatever a text holds, it is answered in time', () => {
  for (const [what, text] of [
    ['aliases', `a: &a 1\n${many(15_000, (i) => `k${i}: *a\n`)}`],
    ['anchors and as many aliases', many(7_000, (i) => `k${i}: &a${i} 1\n`) + many(7_000, (i) => `l${i}: *a${i}\n`)],
    ['merge keys', `a: &a {k: 1}\nb:\n${'  <<: *a\n'.repeat(8_000)}`],
    ['aliases of aliases', `a0: &a0 [x, x]\n${many(60, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`)}`],
    ['unknown keys', HEAD + many(15_000, (i) => `maxNoOfPodsToEvict${i}: 1\n`)],
    ['unknown keys in many maps', `${HEAD}profiles:\n${many(5_000, (i) => `- {foo${i}: 1, plugins: {x${i}: 1}}\n`)}`],
    ['unknown keys on one line', `{${many(15_000, (i) => `unknown${i}: 1,`)}}`],
    [
      'unknown keys in a ConfigMap',
      `kind: ConfigMap\ndata:\n  p: |\n    kind: DeschedulerPolicy\n${many(8_000, (i) => `    k${i}: 1\n`)}`,
    ],
    ['the same key', `${HEAD}${'a: 1\n'.repeat(14_000)}`],
    ['profiles that pull against each other', `${HEAD}profiles:\n${PULLING.repeat(800)}`],
    ['empty profiles', `${HEAD}profiles: [${'{},'.repeat(19_000)}]`],
    ['entries of one plugin', `${HEAD}profiles: [{pluginConfig: [${'{name: RemoveDuplicates},'.repeat(8_000)}]}]`],
    ['unknown plugins', inSet(many(19_000, (i) => `RemoveDuplicate${i},`))],
    ['the same plugin', inSet('RemoveDuplicates,'.repeat(19_000))],
    [
      'thresholds',
      inArgs(
        'LowNodeUtilization',
        `thresholds: {${many(6_000, (i) => `r${i}: 5,`)}}, targetThresholds: {${many(6_000, (i) => `s${i}: 5,`)}}`,
      ),
    ],
    ['protections', inArgs('DefaultEvictor', `podProtections: {extraEnabled: [${many(19_000, (i) => `P${i},`)}]}`)],
    ['bad labels', inArgs('PodLifeTime', `labelSelector: {matchLabels: {${many(12_000, (i) => `k${i}: a b,`)}}}`)],
    ['patterns', inArgs('PodLifeTime', `namespaces: {exclude: [${'"*",'.repeat(19_000)}]}`)],
    ['windows', `${HEAD}evictionWindows: [${'{per: owner, max: 1, window: 1h},'.repeat(4_000)}]`],
    [
      'old strategies',
      `apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\nstrategies: {${many(8_000, (i) => `s${i}: {enabled: true},`)}}`,
    ],
    ['a selector with many requirements', `${HEAD}nodeSelector: "${'a,'.repeat(500_000)}a"`],
    ['a long number', `${HEAD}maxNoOfPodsToEvictTotal: ${'9'.repeat(MEGABYTE)}`],
    ['a long kind', `kind: ${'k'.repeat(MEGABYTE)}`],
    ['a long duration', inArgs('DefaultEvictor', `minPodAge: "${'1h'.repeat(500_000)}"`)],
    ['more than a MB', 'a: b\n'.repeat(MEGABYTE)],
    ['steps', many(1_400, (i) => `${' '.repeat(i)}a:\n`)],
  ] as const) {
    it(what, () => {
      answersInTime(text);
    }).timeout(60_000);
  }

  it('a MB of any signs', () => {
    const unit = fc.constantFrom(
      ...[
        ':',
        ': ',
        '\n',
        '- ',
        '? ',
        '{',
        '}',
        '[',
        ']',
        ',',
        '&a ',
        '*a ',
        '!a ',
        '%',
        '#',
        ' #',
        '"',
        "'",
        '\\u',
        '|\n',
        '>\n',
      ],
      ...['---\n', '...\n', ' ', '\t', '\r', 'a', 'a: ', 'a: b\n', '<<: ', '@', '  '],
    );
    fc.assert(
      fc.property(
        fc.array(unit, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('', '"', "'", '[', '{', 'a: |\n'),
        (units, start) => {
          const pattern = units.join('');
          answersInTime(start + pattern.repeat(MEGABYTE / pattern.length));
        },
      ),
      { numRuns: 40 },
    );
  }).timeout(240_000);
});
