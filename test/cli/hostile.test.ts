import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { parse } from 'yaml';
import { FORMATS } from '../../src/cli/render.ts';
import { runProgram } from '../../src/cli/program.ts';
import { TABLE, type ReadKind } from '../../src/cluster/decode/decode-table.ts';
import { demoObjects } from '../../src/demo/cluster.ts';
import { strategies } from '../../src/strategies/registry.ts';
import type { FieldPath } from '../builders/fields.ts';
import { HOSTILE, polluted, SIGNS, textPaths } from '../builders/hostile.ts';
import { policyText } from '../policy/policy-text.ts';
import { recorder } from './recorder.ts';

/** So many fields at once: more would leave too little of the cluster to decide on, fewer take long. */
const FIELDS_AT_ONCE = 90;

describe('hostile texts', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-hostile-'));
    await writeFile(join(folder, 'policy.yaml'), policy());
    await writeFile(join(folder, 'scenario.yaml'), SCENARIO);
  });
  after(() => rm(folder, { recursive: true }));

  /** Each format in which some hostile text was shown: a test that never meets one proves nothing. */
  const met = new Set<string>();

  const outputs = async (argv: readonly string[], colors = false): Promise<readonly string[]> => {
    const { terminal, printed, complained } = recorder({ colors });
    await runProgram(argv, terminal);
    return [printed(), complained()];
  };

  const batches = inBatches(textPaths());
  batches.forEach((batch, i) => {
    const [first, last] = [batch[0], batch.at(-1)].map((at) => `${at?.kind} ${at?.path.join('.')}`);
    it(`from ${first} to ${last} reach no output as they are`, async () => {
      const dump = join(folder, `${i}.json`);
      const items = objectsWith(batch);
      await writeFile(dump, JSON.stringify({ kind: 'List', apiVersion: 'v1', items }));
      for (const [format, argv] of commands(folder, dump, items)) {
        const texts = await outputs(argv);
        texts.forEach((text) => assertTame(text, argv));
        const [printed = ''] = texts;
        if (texts.some((text) => /␛|\\u001b|\\e/u.test(text))) met.add(format);
        if (format === 'html') assertTameHtml(printed);
        if (format === 'markdown') assertTameMarkdown(printed);
        if (format === 'table') {
          const [colored = ''] = await outputs(argv, true);
          assert.ok(!colored.includes('\u001b[38'), 'a colour of the cluster');
        }
      }
    });
  });

  it('are met in every form', () => {
    assert.deepEqual([...met].sort(), [...FORMATS, 'json log', 'log'].sort());
  });

  it('stand in JSON and YAML as they are, in escapes', async () => {
    const dump = join(folder, 'names.json');
    const names = textPaths().filter(({ path }) => ['metadata.name', 'spec.nodeName'].includes(path.join('.')));
    await writeFile(dump, JSON.stringify({ kind: 'List', apiVersion: 'v1', items: objectsWith(names) }));
    const run = ['run', '--policy-config-file', join(folder, 'policy.yaml'), '--from-dump', dump];
    const [json = ''] = await outputs([...run, '-o', 'json']);
    const [yaml = ''] = await outputs([...run, '-o', 'yaml']);
    const report = JSON.parse(json) as {
      readonly evictions: readonly { readonly pod: string; readonly node: string }[];
    };
    assert.deepEqual(parse(yaml), report);
    assert.ok(report.evictions.length > 5);
    for (const { pod, node } of report.evictions) assert.ok(pod.endsWith(HOSTILE) && node.endsWith(HOSTILE));
  });
});

describe('hostile input', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-hostile-'));
  });
  after(() => rm(folder, { recursive: true }));

  const quoted = JSON.stringify(HOSTILE);
  const validate = ['policy', 'validate'];
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['keys of a policy', policyText({ [HOSTILE]: 1, profiles: [{ name: 'p', [HOSTILE]: 1 }] }), validate],
    ['strategies of a policy', policyText({ profiles: [{ plugins: { balance: { enabled: [HOSTILE] } } }] }), validate],
    ['the version of a policy', `kind: DeschedulerPolicy\napiVersion: ${quoted}`, validate],
    ['a policy that is no YAML', 'a: [\u202e\u200b\u2066\n', validate],
    ['a policy that is not text', HOSTILE, validate],
    ['an old policy', `apiVersion: descheduler/v1alpha1\nstrategies:\n  ${quoted}: {}\n`, validate],
    [
      'a policy to migrate',
      `apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\nnodeSelector: ${quoted}\n`,
      ['policy', 'migrate'],
    ],
    ['a scenario', `events: [{at: ${quoted}, ${quoted}: 1}]`, ['outage', '--from-dump', 'none', '--scenario']],
    ['a dump that is no JSON', `{"items": [${HOSTILE}`, ['run', '--from-dump']],
    ['a dump whose kind is unknown', `{"kind": ${quoted}, "metadata": {"name": ${quoted}}}`, ['run', '--from-dump']],
    ['a kubeconfig', `{current-context: ${quoted}, contexts: []}`, ['dump', '--kubeconfig']],
  ];
  rows.forEach(([name, text, argv], i) => {
    it(`is shown visibly: ${name}`, async () => {
      const file = join(folder, `${i}\u202e\u001b[1m`);
      await writeFile(file, text);
      const { terminal, printed, complained } = recorder();
      await runProgram([...argv, file], terminal);
      const said = printed() + complained();
      assert.match(said, /␛|\\u202e|U\+001B/u);
      assertTame(said, argv);
    });
  });

  const word = SIGNS.join('');
  for (const argv of [
    [word],
    [`--${word}`],
    ['run', '-o', word],
    ['run', '--schedule', word, '--policy-config-file', 'none'],
    ['explain', 'pod', word, '--from-dump', 'none'],
    ['policy', 'validate', word],
  ]) {
    it(`is shown visibly on the command line: ${argv.filter((it) => !it.includes(word)).join(' ')} …`, async () => {
      const { terminal, complained } = recorder();
      assert.equal(await runProgram(argv, terminal), 2);
      assertTame(complained(), argv);
    });
  }
});

const SCENARIO = `
apiVersion: evenkeel.io/v1alpha1
kind: OutageScenario
duration: 20m
events:
- {at: 0s, stopKubelet: {selector: {}}}
- {at: 1m, addTaint: {selector: {}, taint: {key: maintenance, effect: NoExecute}}}
`;

/** All strategies, and what makes them refuse. */
function policy(): string {
  const enabled = (point: string) => strategies.filter((it) => it.extensionPoint === point).map(({ name }) => name);
  const args = {
    LowNodeUtilization: { thresholds: { cpu: 20 }, targetThresholds: { cpu: 60 } },
    RemovePodsViolatingNodeAffinity: { nodeAffinityType: ['requiredDuringSchedulingIgnoredDuringExecution'] },
    RemovePodsHavingTooManyRestarts: { podRestartThreshold: 1 },
    PodLifeTime: { maxPodLifeTimeSeconds: 60 },
  };
  const pluginConfig = Object.entries(args).map(([name, given]) => ({ name, args: given }));
  const balance = enabled('balance').filter((name) => name !== 'HighNodeUtilization');
  const plugins = { deschedule: { enabled: enabled('deschedule') }, balance: { enabled: balance } };
  return policyText({ profiles: [{ name: 'all', pluginConfig, plugins }] });
}

function inBatches(paths: readonly FieldPath[]): readonly (readonly FieldPath[])[] {
  const count = Math.ceil(paths.length / FIELDS_AT_ONCE);
  return Array.from({ length: count }, (_, i) => paths.slice(i * FIELDS_AT_ONCE, (i + 1) * FIELDS_AT_ONCE));
}

type Raw = { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace?: string } };

/** The demo's cluster, and one object of each kind that it lacks, with the hostile text in these fields. */
function objectsWith(paths: readonly FieldPath[]): readonly Raw[] {
  const objects = demoObjects() as readonly Raw[];
  const lacking = (Object.keys(TABLE) as ReadKind[]).filter((kind) => !objects.some((it) => it.kind === kind));
  const all = [...objects, ...lacking.map((kind) => ({ kind, metadata: { name: 'one', namespace: 'shop' } }))];
  return all.map((object) =>
    paths.filter(({ kind }) => kind === object.kind).reduce((it, { path }) => polluted(it, path), object),
  );
}

/** Every command that prints something of a dump, in every form. */
function* commands(
  folder: string,
  dump: string,
  items: readonly Raw[],
): Generator<readonly [string, readonly string[]]> {
  const policyFlag = ['--policy-config-file', join(folder, 'policy.yaml')];
  const source = ['--from-dump', dump];
  const nameOf = (kind: string) => items.find((it) => it.kind === kind)?.metadata ?? { name: '' };
  const pod = nameOf('Pod');
  const subjects = [
    ['pod', `${pod.namespace ?? 'default'}/${pod.name}`] as const,
    ['node', nameOf('Node').name] as const,
  ];
  for (const format of FORMATS) {
    yield [format, ['run', ...policyFlag, ...source, '-o', format]];
    yield [format, ['outage', '--scenario', join(folder, 'scenario.yaml'), ...source, '-o', format]];
    if (format === 'markdown' || format === 'html') continue;
    for (const [kind, name] of subjects)
      yield [format, ['explain', kind, name, ...policyFlag, ...source, '-o', format]];
  }
  yield ['log', ['run', ...policyFlag, ...source, '-o', 'json', '-v', '3']];
  yield ['json log', ['run', ...policyFlag, ...source, '-o', 'json', '-v', '3', '--logging-format', 'json']];
}

function assertTame(text: string, argv: readonly string[]): void {
  for (const sign of SIGNS) assert.ok(!text.includes(sign), `${JSON.stringify(sign)} of ${argv.join(' ')}`);
  assert.doesNotMatch(text, /^FORGED/mu, argv.join(' '));
}

/** Only elements of ours, none with an attribute that does anything. */
function assertTameHtml(html: string): void {
  const tags = new Set(Array.from(html.matchAll(/<[^>]*>/gu), ([tag]) => tag));
  const ours =
    /^<\/?(?:!doctype html|html(?: lang="en")?|head|meta [a-z=" -]+8?"|title|style|body|h[12]|p(?: class="error")?|strong|dl|dt|dd|table|tr|th|td|ul|li|pre|details|summary)>$/u;
  assert.deepEqual(
    [...tags].filter((tag) => !ours.test(tag)),
    [],
  );
}

/** As a reader of GitHub's Markdown sees it: no link, image, element or list item of the cluster's, every row as wide as its head. */
function assertTameMarkdown(markdown: string): void {
  const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
  assert.doesNotMatch(html, /<(?:a|img|script|del|em|input|code(?! class="language-text"))\b/u);
  assert.equal(html.includes('<table>'), markdown.includes('| --- |'));
  for (const [table] of html.matchAll(/<table>[^]*?<\/table>/gu)) {
    const widths = table
      .split('</tr>')
      .slice(0, -1)
      .map((row) => row.match(/<t[hd]\b/gu)?.length);
    assert.deepEqual(new Set(widths).size, 1, table);
  }
}
