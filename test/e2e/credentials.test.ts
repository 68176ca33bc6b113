import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { until, type ControlPlane } from './control-plane.ts';
import { namespace, node, policyOf, writePolicy, type Report } from './objects.ts';
import { onControlPlane } from './suite.ts';

const bundle = join(import.meta.dirname, '..', '..', 'dist', 'evenkeel.cjs');
const ELECTION = [
  ...['--leader-elect-lease-duration=90s', '--leader-elect-renew-deadline=60s', '--leader-elect-retry-period=1s'],
];

onControlPlane('credentials that cannot be had for a while', {}, (running) => {
  let plane: ControlPlane;
  const daemons: Daemon[] = [];
  const start = (kubeconfig: string, ...argv: readonly string[]) => {
    const daemon = new Daemon([...argv, '--kubeconfig', kubeconfig, '--secure-port=0', '--v=1']);
    daemons.push(daemon);
    return daemon;
  };
  const descheduler = (kubeconfig: string, ...argv: readonly string[]) => {
    const policy = writePolicy(plane, policyOf({ RemovePodsViolatingNodeTaints: {} }));
    return start(
      kubeconfig,
      'run',
      '--policy-config-file',
      policy,
      '--descheduling-interval=1s',
      '--output=json',
      ...argv,
    );
  };

  before(async () => {
    plane = running();
    await plane.create(namespace('kube-node-lease')).catch(() => undefined);
    for (const name of ['n1', 'n2']) await plane.create(node(name, 'a'));
  });

  afterEach(() => {
    for (const daemon of daemons.splice(0)) daemon.kill();
  });

  it('an exec plugin that fails when the watches end: the cycles, the controllers and the elections go on with the next token', async function () {
    this.timeout(180_000);
    plane.admit('first');
    await restart(plane);
    const [failing, garbling] = [plugin(plane, 'failing', 'exit 1'), plugin(plane, 'garbling', 'echo garbage')];
    const run = descheduler(failing.kubeconfig, '--leader-elect', ...ELECTION);
    const lifecycle = start(garbling.kubeconfig, 'lifecycle', '--mode=act', ...ELECTION);
    await until('a cycle', () => run.alive(() => run.reports().some(({ error }) => error === undefined)));
    await until('a leader', () => lifecycle.alive(() => /_\S+ leads/u.test(lifecycle.log)));

    failing.break();
    garbling.break();
    plane.admit('second');
    await restart(plane);
    await until('cycles that fail', () => run.alive(() => run.failures(/no credentials for/u) >= 3));
    await until('a word', () => lifecycle.alive(() => lifecycle.log.includes('no credentials for')));

    failing.mend('second');
    garbling.mend('second');
    const mendedAt = Date.now();
    await until('a cycle that does not', () => run.alive(() => run.reports().at(-1)?.error === undefined));
    for (const [name, daemon] of [
      ['descheduler', run],
      ['evenkeel-lifecycle', lifecycle],
    ] as const) {
      await until(`a renewed ${name}`, () => daemon.alive(async () => (await renewedAt(plane, name)) > mendedAt));
      const words = [...daemon.log.matchAll(/ warn (no credentials .*)$/gmu)].map(([, word]) => word);
      assert.equal(words.length, 1, words.join('\n'));
      assert.match(daemon.log, / info credentials can be had again$/mu);
      assert.doesNotMatch(daemon.log, /fault of its own|lost/u);
      assert.equal(await daemon.stop(), 143);
    }
  });

  it('a client certificate that expires: those cycles fail, and the next certificate in its file is taken', async function () {
    this.timeout(120_000);
    const ca = await authority(plane);
    await restart(plane, `--client-ca-file=${ca.file}`);
    await ca.write(10_000);
    const user = { 'client-certificate': join(plane.folder, 'me.crt'), 'client-key': join(plane.folder, 'me.key') };
    const run = descheduler(plane.kubeconfig('certified', user));
    await until('a cycle', () => run.alive(() => run.reports().some(({ error }) => error === undefined)));
    await until('a cycle that fails', () => run.alive(() => run.failures(/does not accept these credentials/u) > 0));
    await ca.write(3_600_000);
    await until('a cycle that does not', () => run.alive(() => run.reports().at(-1)?.error === undefined));
    assert.equal(await run.stop(), 143);
  });
});

/** The built program in a process of its own. */
class Daemon {
  readonly #child: ChildProcess;
  #printed = '';
  log = '';

  constructor(argv: readonly string[]) {
    this.#child = spawn(process.execPath, [bundle, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#printed += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
  }

  /** The reports so far. */
  reports(): readonly Report[] {
    const lines = this.#printed.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Report);
  }

  /** How many cycles have failed with such an error. */
  failures(error: RegExp): number {
    return this.reports().filter((report) => error.test(report.error ?? '')).length;
  }

  /** What is asked, of a program that has not ended. */
  async alive(ask: () => boolean | Promise<boolean>): Promise<boolean> {
    assert.equal(this.#child.exitCode, null, this.log.slice(0, 5_000));
    return ask();
  }

  async stop(): Promise<number | null> {
    const ended = once(this.#child, 'close') as Promise<[number | null]>;
    this.#child.kill('SIGTERM');
    return (await ended)[0];
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** A kubeconfig with a plugin whose tokens expire at once, so that it is asked again and again. */
function plugin(plane: ControlPlane, name: string, whenBroken: string) {
  const [command, token, broken] = ['sh', 'token', 'broken'].map((end) => join(plane.folder, `${name}.${end}`)) as [
    ...[string, string, string],
  ];
  writeFileSync(token, 'first');
  writeFileSync(
    command,
    `#!/bin/sh
if [ -e ${broken} ]; then ${whenBroken}; exit; fi
echo '{"status":{"expirationTimestamp":"2020-01-01T00:00:00Z","token":"'$(cat ${token})'"}}'
`,
  );
  chmodSync(command, 0o755);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' };
  return {
    kubeconfig: plane.kubeconfig(name, { exec }),
    break: () => writeFileSync(broken, ''),
    mend: (next: string) => {
      writeFileSync(token, next);
      rmSync(broken);
    },
  };
}

/** Ends every watch, too. */
async function restart(plane: ControlPlane, ...flags: readonly string[]): Promise<void> {
  await plane.killApiServer();
  await plane.startApiServer(...flags);
}

async function renewedAt(plane: ControlPlane, name: string): Promise<number> {
  const { body } = await plane.api('GET', `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`);
  return Date.parse((body['spec'] as { readonly renewTime: string }).renewTime);
}

/** An authority for clients, and what writes `me.crt` and `me.key` that are good for so long. */
async function authority(plane: ControlPlane) {
  const extensions = [{ name: 'basicConstraints', cA: true } as const];
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'authority' }], { extensions });
  const file = join(plane.folder, 'clients.crt');
  writeFileSync(file, cert);
  return {
    file,
    async write(ms: number): Promise<void> {
      const names = [
        { name: 'commonName', value: 'me' },
        { name: 'organizationName', value: 'system:masters' },
      ];
      const notAfterDate = new Date(Date.now() + ms);
      const made = await generate(names, { ca: { key, cert }, notAfterDate });
      writeFileSync(join(plane.folder, 'me.crt'), made.cert);
      writeFileSync(join(plane.folder, 'me.key'), made.private);
    },
  };
}
