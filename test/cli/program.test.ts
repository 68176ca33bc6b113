import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { runProgram } from '../../src/cli/program.ts';
import { FORMATS } from '../../src/cli/render.ts';
import { demoObjects } from '../../src/demo/cluster.ts';
import { DEFAULT_POLICY } from '../../src/demo/policy.ts';
import { recorder } from './recorder.ts';

interface Ending {
  readonly exitCode: number;
  readonly printed: string;
  readonly complained: string;
}

async function evenkeel(...argv: readonly string[]): Promise<Ending> {
  const { terminal, printed, complained } = recorder();
  const exitCode = await runProgram(argv, terminal);
  return { exitCode, printed: printed(), complained: complained() };
}

describe('the command line', () => {
  let folder = '';
  let dump = '';
  let policy = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-program-'));
    dump = join(folder, 'cluster.json');
    policy = join(folder, 'policy.yaml');
    await writeFile(dump, listOf(demoObjects()));
    await writeFile(policy, DEFAULT_POLICY);
  });
  after(() => rm(folder, { recursive: true }));

  describe('what is wrong with the flags ends with exit code 2 and one message', () => {
    const rows: readonly (readonly [string, readonly string[], string])[] = [
      [
        'nothing given',
        [],
        'error: no policy: give --policy-config-file FILE, try a dry run with --from-dump PATH, or run "evenkeel demo"\n',
      ],
      ['a misspelt command', ['verson'], 'error: unknown command "verson"; did you mean "version"?\n'],
      ['an unknown command', ['xyzzy'], 'error: unknown command "xyzzy"; "evenkeel --help" lists them\n'],
      ['a misspelt flag', ['--from-dumb', 'x'], "error: unknown option '--from-dumb'\n(Did you mean --from-dump?)\n"],
      [
        'the misspelt beginning of a flag',
        ['--polcy', 'x'],
        "error: unknown option '--polcy'\n(Did you mean --policy-config-file?)\n",
      ],
      ['a flag without its value', ['--from-dump'], "error: option '--from-dump <path...>' argument missing\n"],
      [
        'a form that does not exist',
        ['-o', 'jsn'],
        "error: option '-o, --output <format>' argument 'jsn' is invalid. Allowed choices are table, json, yaml, markdown, html.\n",
      ],
      [
        'a time without a zone',
        ['--now', '2026-01-01T00:00:00'],
        "error: option '--now <time>' argument '2026-01-01T00:00:00' is invalid. It takes a time like 2026-01-15T09:00:00Z.\n",
      ],
      [
        'a day that does not exist',
        ['--now', '2026-02-31T25:00:00Z'],
        "error: option '--now <time>' argument '2026-02-31T25:00:00Z' is invalid. It takes a time like 2026-01-15T09:00:00Z.\n",
      ],
      [
        'an address that is none',
        ['--bind-address', 'not-an-ip'],
        "error: option '--bind-address <address>' argument 'not-an-ip' is invalid. It takes an IP address like 0.0.0.0, :: or 127.0.0.1.\n",
      ],
      [
        'a level that is no number',
        ['-v', 'much'],
        "error: option '-v, --v <level>' argument 'much' is invalid. It takes a whole number from 0.\n",
      ],
      [
        'a day that no calendar has',
        ['--now', '2026-02-30T00:00:00Z'],
        "error: option '--now <time>' argument '2026-02-30T00:00:00Z' is invalid. It takes a time like 2026-01-15T09:00:00Z.\n",
      ],
      [
        '--now without a dump, and no policy, both at once',
        ['--now', '2026-01-01T00:00:00Z'],
        'error: --now goes only with --from-dump: a live cluster has its own clock\n' +
          'error: no policy: give --policy-config-file FILE, try a dry run with --from-dump PATH, or run "evenkeel demo"\n',
      ],
      [
        'flags that cannot be honoured, all at once',
        ['--from-dump', 'x', '--feature-gates', 'AllAlpha=true', '--otel-collector-endpoint=x:4317', '--enable-http2'],
        'error: --otel-collector-endpoint asks for tracing, which is not built: leave it out or empty\n' +
          'error: --enable-http2 asks for HTTP/2, which is not served: health and metrics go over HTTP/1.1\n' +
          'error: --feature-gates sets AllAlpha=true, which is not built: only AllAlpha=false can be had\n',
      ],
      [
        '--ignore-limits where pods would be evicted',
        ['--policy-config-file', 'x', '--ignore-limits'],
        'error: --ignore-limits goes only with --dry-run or --from-dump: a run that evicts keeps its limits\n',
      ],
      [
        'a policy that is not there',
        ['--from-dump', 'x', '--policy-config-file', 'no/such.yaml'],
        'error: policy no/such.yaml: no such file; give the path of a DeschedulerPolicy\n',
      ],
      [
        'a place for the report that is not there',
        ['--from-dump', 'x', '--output-file', '/no/such/report'],
        "error: --output-file /no/such/report: the folder /no/such does not exist or can't be read\n",
      ],
    ];
    for (const [name, argv, complained] of rows) {
      it(name, async () => {
        assert.deepEqual(await evenkeel(...argv), { exitCode: 2, printed: '', complained });
      });
    }

    it('a dump that is not there', async () => {
      const { exitCode, printed, complained } = await evenkeel('--from-dump', 'no/such.json');
      assert.deepEqual({ exitCode, printed }, { exitCode: 2, printed: '' });
      assert.match(complained, /^error: no\/such\.json: no such file or folder; [^\n]+\n$/);
    });

    it('a policy with two mistakes: both, each with its place and a caret', async () => {
      await writeFile(
        join(folder, 'bad.yaml'),
        DEFAULT_POLICY.replace('nodeFit', 'nodefit').replace('cpu: 20', 'cpu: 200'),
      );
      const { exitCode, printed, complained } = await evenkeel(
        ...['--from-dump', dump, '--policy-config-file', join(folder, 'bad.yaml')],
      );
      assert.deepEqual({ exitCode, printed }, { exitCode: 2, printed: '' });
      assert.match(complained, /bad\.yaml:9:\d+: error: .*\[unknown-key\]\n.*\n +\^\n/);
      assert.match(complained, /bad\.yaml:15:\d+: error: .*\[out-of-range\]\n.*\n +\^\n/);
    });
  });

  it('run is meant where no command is named', async () => {
    const argv = ['--policy-config-file', policy, '--from-dump', dump, '-o', 'json'];
    const named = await evenkeel('run', ...argv);
    assert.equal(named.exitCode, 0);
    assert.deepEqual(await evenkeel(...argv), named);
  });

  it('flags of Go that ask for nothing are taken', async () => {
    const argv = ['--from-dump', dump, '--dry-run=true', '--leader-elect=false', '--descheduling-interval=0', '-v=0'];
    const { exitCode, complained } = await evenkeel(...argv);
    assert.deepEqual({ exitCode, complained }, { exitCode: 0, complained: '' });
  });

  it('without a policy the built-in one is used, and the report says so first', async () => {
    const { printed } = await evenkeel('--from-dump', dump, '-o', 'json');
    const report = JSON.parse(printed) as { readonly warnings: readonly string[] };
    assert.equal(
      report.warnings[0],
      'no --policy-config-file was given: this is the plan of the built-in default policy, the one of the README',
    );
  });

  it('a dump of the demo has the plan of the demo', async () => {
    const recorded = await evenkeel('--policy-config-file', policy, '--from-dump', dump, '-o', 'json');
    const demo = await evenkeel('demo', '-o', 'json');
    assert.deepEqual(planOf(recorded.printed), planOf(demo.printed));
  });

  describe('a priority threshold that names a class, and a dump without PriorityClass objects', () => {
    const planned = async (name: string, ...objects: readonly object[]) => {
      const [file, recording] = [join(folder, 'threshold.yaml'), join(folder, 'classes.json')];
      const threshold = `priorityThreshold: {name: ${name}}`;
      await writeFile(file, DEFAULT_POLICY.replace('nodeFit: true', `nodeFit: true\n          ${threshold}`));
      await writeFile(recording, listOf([...demoObjects().filter(({ kind }) => kind !== 'PriorityClass'), ...objects]));
      return evenkeel('--policy-config-file', file, '--from-dump', recording, '-o', 'json');
    };
    const advice = 'add what `kubectl get priorityclasses -o json` prints';

    it('a class of every cluster is known, with a warning', async () => {
      const { exitCode, printed } = await planned('system-cluster-critical');
      const warning = `the dump holds no PriorityClass objects: system-cluster-critical counts as 2000000000, as in every cluster; ${advice}`;
      const { warnings } = JSON.parse(printed) as { readonly warnings: readonly string[] };
      assert.deepEqual([exitCode, warnings.filter((line) => line.includes('PriorityClass'))], [0, [warning]]);
    });

    it('another one ends the run: the dump is incomplete', async () => {
      const { exitCode, complained } = await planned('high');
      assert.equal(exitCode, 2);
      assert.ok(
        complained.includes(
          `classes.json: holds no PriorityClass objects, and priorityThreshold names the class high, whose value is not known; ${advice}, or set priorityThreshold.value\n`,
        ),
        complained,
      );
    });

    it('with one object of the kind, a class that is not among them does not exist', async () => {
      const { exitCode, complained } = await planned('high', { kind: 'PriorityClass', metadata: { name: 'low' } });
      assert.equal(exitCode, 1);
      assert.match(complained, /PriorityClass high, which does not exist in the cluster/);
    });
  });

  it('--now sets the time, and the report says that it was given', async () => {
    const { printed } = await evenkeel('--from-dump', dump, '--now', '2026-02-01T00:00:00+01:00', '-o', 'json');
    const { source } = JSON.parse(printed) as { readonly source: object };
    assert.deepEqual(source, { kind: 'dump', name: dump, now: '2026-01-31T23:00:00Z', nowFrom: 'flag' });
  });

  for (const format of FORMATS) {
    it(`the ${format} report has the same bytes whatever the order of the dump`, async () => {
      const file = join(folder, 'shuffled.json');
      const argv = ['--policy-config-file', policy, '--from-dump', file, '-o', format];
      const print = async (objects: readonly object[]): Promise<string> => {
        await writeFile(file, listOf(objects));
        return (await evenkeel(...argv)).printed;
      };
      const first = await print(demoObjects());
      const orders = fc.shuffledSubarray([...demoObjects()], { minLength: demoObjects().length });
      await fc.assert(
        fc.asyncProperty(orders, async (objects) => {
          assert.equal(await print(objects), first);
        }),
        { numRuns: 5, seed: 1 },
      );
    });
  }

  it('a report goes into a file whole, and standard output stays empty', async () => {
    const file = join(folder, 'report.json');
    const { exitCode, printed } = await evenkeel('demo', '-o', 'json', '--output-file', file);
    assert.deepEqual({ exitCode, printed }, { exitCode: 0, printed: '' });
    assert.equal(await readFile(file, 'utf8'), (await evenkeel('demo', '-o', 'json')).printed);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.endsWith('.partial')),
      [],
    );
  });

  it('a full disk is exit code 1 and one message', async () => {
    assert.deepEqual(await evenkeel('demo', '--output-file', '/dev/full'), {
      exitCode: 1,
      printed: '',
      complained:
        'error: --output-file /dev/full: the disk is full: make room or choose another place; nothing was written\n',
    });
  });

  it('a plan that a limit cut says so, and --ignore-limits shows the whole', async () => {
    const limited = join(folder, 'limited.yaml');
    await writeFile(limited, `maxNoOfPodsToEvictTotal: 1\n${await readFile(policy, 'utf8')}`);
    const run = (...more: readonly string[]) =>
      evenkeel('--policy-config-file', limited, '--from-dump', dump, '-o', 'json', ...more);
    interface Printed {
      readonly summary: {
        readonly evicted: number;
        readonly cutByLimits: readonly string[];
        readonly complete: boolean;
      };
      readonly strategies: readonly { readonly state: string }[];
    }
    const [cut, whole] = [await run(), await run('--ignore-limits')];
    const [cutPlan, wholePlan] = [JSON.parse(cut.printed) as Printed, JSON.parse(whole.printed) as Printed];
    assert.deepEqual(cutPlan.summary.cutByLimits, ['maxNoOfPodsToEvictTotal']);
    assert.deepEqual([cutPlan.summary.evicted, cutPlan.summary.complete, wholePlan.summary.complete], [1, false, true]);
    assert.deepEqual(new Set(cutPlan.strategies.map(({ state }) => state)), new Set(['done', 'limit', 'not-run']));
    assert.ok(wholePlan.summary.evicted > 5);
    assert.match(
      cut.complained,
      /^warning: INCOMPLETE: maxNoOfPodsToEvictTotal held pods of \w+ back; .* did not run\n$/u,
    );
    assert.equal(whole.complained, '');
    assert.deepEqual([cut.exitCode, whole.exitCode], [0, 0]);
  });

  it('-v 1 logs what each strategy did, -v 2 names pods, on standard error', async () => {
    const one = await evenkeel('--policy-config-file', policy, '--from-dump', dump, '-v', '1');
    assert.match(
      one.complained,
      /^\S+ info strategy done strategy=RemoveDuplicates profile=default proposed=\d+ evicted=\d+ refused=\d+$/m,
    );
    assert.doesNotMatch(one.complained, / debug /);
    const two = await evenkeel('--policy-config-file', policy, '--from-dump', dump, '-v', '2');
    assert.match(two.complained, /^\S+ debug RemoveDuplicates: would-evict: shop\/cart-\S+ is one of 3 pods/m);
  });

  it('--logging-format json logs one object a line', async () => {
    const { complained } = await evenkeel('--from-dump', dump, '-v', '1', '--logging-format', 'json');
    const lines = complained.trimEnd().split('\n');
    assert.ok(lines.length > 4);
    for (const line of lines)
      assert.equal(typeof (JSON.parse(line) as { readonly message: unknown }).message, 'string');
  });

  it('an end by a signal while the dump is read is told', async () => {
    const { terminal, complained } = recorder({ signal: AbortSignal.abort() });
    assert.equal(await runProgram(['--from-dump', dump], terminal), 1);
    assert.equal(complained(), 'error: ended by a signal while the dump was read\n');
  });

  it('policy validate tells good files from bad ones', async () => {
    const bad = join(folder, 'empty.yaml');
    await writeFile(bad, '');
    const missing = join(folder, 'missing.yaml');
    const { exitCode, printed, complained } = await evenkeel('policy', 'validate', missing, bad, policy);
    assert.equal(exitCode, 2);
    assert.equal(printed, `${policy}: valid descheduler/v1alpha2, 1 profile, 4 strategies\n`);
    assert.match(
      complained,
      /^error: policy \S*missing\.yaml: no such file; [^\n]+\n\S*empty\.yaml:1:1: error: .*\[empty\]/,
    );
  });

  it('policy migrate prints a policy that is valid', async () => {
    const old = join(folder, 'old.yaml');
    await writeFile(
      old,
      'apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\nstrategies:\n  RemoveDuplicates: {enabled: true}\n',
    );
    const migrated = join(folder, 'migrated.yaml');
    assert.equal((await evenkeel('policy', 'migrate', old, '--output-file', migrated)).exitCode, 0);
    const { printed } = await evenkeel('policy', 'validate', migrated);
    assert.equal(printed, `${migrated}: valid descheduler/v1alpha2, 1 profile, 1 strategy\n`);
  });

  it('policy schema prints a JSON Schema', async () => {
    const { exitCode, printed } = await evenkeel('policy', 'schema');
    assert.equal(exitCode, 0);
    assert.equal((JSON.parse(printed) as { readonly type: string }).type, 'object');
  });

  for (const asked of ['version', '--version'])
    it(`${asked} names program, Node.js and Kubernetes`, async () => {
      assert.deepEqual(await evenkeel(asked), {
        exitCode: 0,
        printed: 'evenkeel 0.1.0\nNode.js v20.19.0\nKubernetes 1.27 and later (live clusters), any version (dumps)\n',
        complained: '',
      });
    });

  for (const asked of ['help', '--help'])
    it(`${asked} is exit code 0 and lists the commands`, async () => {
      const { exitCode, printed } = await evenkeel(asked);
      assert.equal(exitCode, 0);
      for (const command of ['run', 'demo', 'policy', 'version'])
        assert.match(printed, new RegExp(`^ {2}${command}\\b`, 'm'));
    });
});

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

function planOf(json: string): object {
  const { evictions, refusals, strategies } = JSON.parse(json) as Record<string, object>;
  return { evictions, refusals, strategies };
}
