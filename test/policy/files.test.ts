import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { formatFindings } from '../../src/findings/format.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { migratePolicy } from '../../src/policy/migrate.ts';
import { leaveOut, suiteNeeding } from '../suites.ts';
import { asLine, found, loaded } from './policy-text.ts';

const shared = new URL('../../../shared/', import.meta.url);
const real = new URL('data/policies/', shared);
const cases = new URL('cases/users/', shared);
const readyMade = new URL('../../policies/', import.meta.url);

function textsIn(folder: URL): readonly (readonly [file: string, text: string])[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.sort().map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]);
}

const unknown = (line: number, path: string) =>
  `error unknown-plugin ${line} ${path}: no plugin is called "KubevirtMigrationAware"`;

/** What each real policy is refused for; those not named load without a word. */
const refused: Readonly<Record<string, readonly string[]>> = {
  '04-enabled-without-config.yaml': [
    'error unknown-key 4 evictLocalStoragePods: unknown key ("evictLocalStoragePods" is legal in the args of DefaultEvictor)',
  ],
  '15-kubevirt-relieve-and-migrate.yaml': [
    unknown(39, 'profiles[0].pluginConfig[2].name'),
    unknown(52, 'profiles[0].plugins.filter.enabled[1]'),
    unknown(56, 'profiles[0].plugins.preevictionfilter.enabled[0]'),
  ],
};

const PEOPLES = { group: 'policies that people run', isMet: existsSync(real) };
if (!PEOPLES.isMet) leaveOut(PEOPLES.group, 64);

suiteNeeding(PEOPLES, 'policies that people run', () => {
  for (const [file, text] of textsIn(real)) {
    it(`${file}: ${refused[file] === undefined ? 'loads' : 'is refused for the right reason'}`, () => {
      const withoutList = found(text).map((line) => line.replace(/ \(the plugins are .*\)$/, ''));
      assert.deepEqual(withoutList, refused[file] ?? []);
    });
  }

  it('04: an unknown key is all that keeps it from running with default arguments', () => {
    const text = textsIn(real).find(([file]) => file.startsWith('04'))?.[1];
    assert.ok(text, '04 is there');
    const policy = loaded(text, { ignoreUnknownKeys: true });
    const names = policy.profiles.flatMap(({ deschedule, balance }) => [...deschedule, ...balance]);
    const wanted = ['RemoveDuplicates', 'RemovePodsViolatingNodeTaints', 'RemovePodsViolatingInterPodAntiAffinity'];
    const enabled = names.map(({ strategy }) => strategy.name);
    assert.deepEqual(
      wanted.filter((name) => enabled.includes(name)),
      wanted,
    );
  });

  const profiles: Readonly<Record<string, number>> = {
    '11-v1alpha1-full.yaml': 8,
    '12-v1alpha1-node-fit.yaml': 7,
    '13-v1alpha1-mostly-off.yaml': 1,
    '14-v1alpha1-restarts.yaml': 7,
    '21-openshift-v1alpha1-four-strategies.yaml': 4,
  };
  for (const [file, text] of textsIn(real).filter(([name]) => profiles[name] !== undefined)) {
    it(`${file} becomes ${profiles[file] ?? 0} profiles; nodeFit where it was asked for`, () => {
      const { profiles: built } = loaded(text);
      assert.equal(built.length, profiles[file]);
      const fitting = built.filter(({ evictor }) => evictor.nodeFit).map(({ name }) => name);
      const asks = text.includes('nodeFit: true');
      assert.deepEqual(fitting, asks ? ['strategy-RemovePodsViolatingInterPodAntiAffinity-profile'] : []);
    });
  }
});

describe('policies of users’ reports', () => {
  for (const [file, text] of textsIn(cases).filter(([name]) => name.startsWith('policy-'))) {
    const { policy, expect, name } = readCase(text);
    it(name, () => {
      const result = loadPolicy(policy);
      const output = formatFindings(result.ok ? result.warnings : result.findings, { file, text: policy });
      assert.equal(result.ok, expect.exit !== 2, output);
      if (expect.stderr !== undefined) assert.match(output, new RegExp(expect.stderr));
    });
  }
});

interface Case {
  readonly name: string;
  readonly policy: string;
  readonly expect: { readonly exit?: number; readonly stderr?: string };
}

function readCase(text: string): Case {
  const raw = parse(text) as Case & { readonly policy: unknown };
  return { ...raw, policy: typeof raw.policy === 'string' ? raw.policy : JSON.stringify(raw.policy) };
}

describe('ready-made policies', () => {
  const texts = textsIn(readyMade);
  it('there are some, the old format among them', () => {
    assert.ok(texts.length > 10);
    assert.ok(texts.some(([, text]) => text.includes('descheduler/v1alpha1')));
  });
  for (const [file, text] of texts) it(`${file} loads without a word`, () => assert.deepEqual(found(text), []));
});

describe('migration', () => {
  for (const [file, text] of [...textsIn(readyMade), ...textsIn(real)].filter(
    ([name]) => refused[name] === undefined,
  )) {
    it(`${file} loads to the same policy`, () => {
      const migrated = migratePolicy(text);
      assert.ok(migrated.ok);
      assert.match(migrated.text, /apiVersion: "?descheduler\/v1alpha2/);
      assert.deepEqual(loaded(migrated.text), loaded(text));
    });
  }

  it('a refused policy is refused with all its findings', () => {
    const migrated = migratePolicy('apiVersion: descheduler/v1alpha1\nstrategie: {}\n');
    assert.ok(!migrated.ok);
    assert.deepEqual(migrated.findings.map(asLine), [
      'error unknown-key 2 strategie: unknown key (did you mean "strategies"?)',
    ]);
  });

  it('keeps the comments at the top, quotes what YAML 1.1 takes for a boolean', () => {
    const text = [
      '# ours',
      '---',
      '# since 2021',
      'apiVersion: descheduler/v1alpha1',
      'kind: DeschedulerPolicy',
      'strategies:',
      '  RemoveDuplicates:',
      '    enabled: true',
      '    params: {namespaces: {include: ["on"]}}',
    ].join('\n');
    const migrated = migratePolicy(text);
    assert.ok(migrated.ok);
    assert.equal(
      migrated.text,
      `# ours
# since 2021
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
  - name: strategy-RemoveDuplicates-profile
    pluginConfig:
      - name: DefaultEvictor
        args:
          evictLocalStoragePods: false
      - name: RemoveDuplicates
        args:
          namespaces:
            include:
              - "on"
    plugins:
      filter:
        enabled:
          - DefaultEvictor
      preevictionfilter:
        enabled:
          - DefaultEvictor
      balance:
        enabled:
          - RemoveDuplicates
`,
    );
    assert.deepEqual(loaded(migrated.text), loaded(text));
  });
});
