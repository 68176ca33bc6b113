import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { kindsToRead, PATHS } from '../src/kube/http/paths.ts';
import { loadPolicy } from '../src/policy/load.ts';
import { program } from '../src/cli/program.ts';
import { VERSION } from '../src/cli/version.ts';
import { recorder } from './cli/recorder.ts';

const root = join(import.meta.dirname, '..');
const manifests = join(root, 'manifests');
const WAYS = ['job', 'cronjob', 'deployment'] as const;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly data?: Readonly<Record<string, string>>;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface PodSpec {
  readonly securityContext: object;
  readonly serviceAccountName: string;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly configMap: { readonly name: string } }[];
}

interface Container {
  readonly args: readonly string[];
  readonly securityContext: object;
  readonly livenessProbe: { readonly httpGet: object };
  readonly readinessProbe?: { readonly httpGet: object };
  readonly resources: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

describe('the manifests', () => {
  it('are all part of a kustomization', () => {
    for (const folder of readdirSync(manifests)) {
      const { resources = [] } = parse(read(folder, 'kustomization.yaml')) as { resources?: string[] };
      const files = readdirSync(join(manifests, folder)).filter((file) => file !== 'kustomization.yaml');
      assert.deepEqual(resources.filter((resource) => !resource.startsWith('../')).sort(), files.sort(), folder);
    }
  });

  it('name their namespace, without which a Role lands where the caller happens to be (rule C15)', () => {
    const clusterWide = ['ClusterRole', 'ClusterRoleBinding'];
    const without = all().filter(
      ({ kind, metadata }) => !clusterWide.includes(kind) && metadata.namespace !== 'kube-system',
    );
    assert.deepEqual(without, []);
  });

  it('hold a policy that loads', () => {
    const { data } = only('ConfigMap');
    const result = loadPolicy(data?.['policy.yaml'] ?? '');
    assert.ok(result.ok);
    assert.deepEqual(result.warnings, []);
  });

  it('hold the policy that policies/everyday.yaml explains', () => {
    const { data } = only('ConfigMap');
    assert.deepEqual(
      parse(data?.['policy.yaml'] ?? ''),
      parse(readFileSync(join(root, 'policies', 'everyday.yaml'), 'utf8')),
    );
  });

  it('allow to list and watch exactly what cycles read, and beyond that only evictions and events', () => {
    const granted = (only('ClusterRole').rules ?? []).flatMap(rights).sort();
    const read = kindsToRead(true).flatMap((kind) => {
      const [, , group = ''] = PATHS[kind].split('/');
      const resource = PATHS[kind].split('/').at(-1) ?? '';
      const name = PATHS[kind].startsWith('/api/') ? resource : `${resource}.${group}`;
      return [`list ${name}`, ...(group === 'metrics.k8s.io' ? [] : [`watch ${name}`])];
    });
    assert.deepEqual(granted, [...read, 'create pods/eviction', 'create events.events.k8s.io'].sort());
  });

  it('allow in kube-system one Lease and one ConfigMap', () => {
    assert.deepEqual((only('Role').rules ?? []).flatMap(rights).sort(), [
      'create configmaps',
      'create leases.coordination.k8s.io',
      'get configmaps evenkeel-history',
      'get leases.coordination.k8s.io descheduler',
      'update configmaps evenkeel-history',
      'update leases.coordination.k8s.io descheduler',
    ]);
  });

  for (const way of WAYS) {
    describe(way, () => {
      const spec = podSpecOf(way);
      const [container] = spec.containers;
      assert.ok(container);

      it('runs without any privilege', () => {
        assert.deepEqual(spec.securityContext, {
          runAsNonRoot: true,
          runAsUser: 65532,
          runAsGroup: 65532,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          privileged: false,
          readOnlyRootFilesystem: true,
        });
      });

      it('asks for memory and CPU, and is probed over HTTPS', () => {
        const requests = { cpu: '500m', memory: '256Mi' };
        assert.deepEqual(container.resources, { requests, limits: { memory: '1Gi' } });
        const probe = (path: string) => ({ path, port: 'https-metrics', scheme: 'HTTPS' });
        assert.deepEqual(container.livenessProbe.httpGet, probe('/healthz'));
        assert.deepEqual(container.readinessProbe?.httpGet, way === 'deployment' ? probe('/readyz') : undefined);
      });

      it('is the service account, and reads the policy, of the base', () => {
        assert.equal(spec.serviceAccountName, only('ServiceAccount').metadata.name);
        assert.deepEqual(
          spec.volumes.map(({ configMap }) => configMap.name),
          [only('ConfigMap').metadata.name],
        );
        const [mount] = container.volumeMounts;
        assert.ok(container.args.includes(`--policy-config-file=${mount?.mountPath ?? ''}/policy.yaml`));
      });

      it('reports and evicts nothing', () => {
        assert.deepEqual(container.args.slice(0, 2), ['run', '--dry-run=true']);
      });

      it('has arguments that the program takes', () => {
        const run = program({ terminal: recorder().terminal, finish: () => Promise.resolve() }).commands.find(
          (command) => command.name() === container.args[0],
        );
        const known = new Set(run?.options.map(({ long }) => long));
        const flags = container.args.slice(1).map((arg) => arg.replace(/=.*/u, ''));
        assert.deepEqual(
          flags.filter((flag) => !known.has(flag)),
          [],
        );
      });

      it('has the image of this version', () => {
        const { images } = parse(read(way, 'kustomization.yaml')) as { images: object[] };
        assert.deepEqual(images, [{ name: 'evenkeel', newTag: VERSION }]);
      });
    });
  }
});

describe('the image', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

  it('is without a shell, on Node.js 24, and not root', () => {
    assert.match(dockerfile, /^ARG RUNTIME=distroless\/nodejs24-debian12$/mu);
    assert.match(dockerfile, /^ARG RUNTIME_DIGEST=give-RUNTIME_DIGEST-of-nodejs24-debian12-nonroot$/mu);
    assert.match(dockerfile, /^USER 65532:65532$/mu);
  });

  it('is built from images by digest alone, and runs no code of packages while it installs them', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gmu)].map(([, base]) => base);
    assert.deepEqual(bases, ['${BUILD}@${BUILD_DIGEST}', '${RUNTIME}@${RUNTIME_DIGEST}']);
    assert.match(dockerfile, /^RUN npm ci --ignore-scripts /mu);
  });

  it('has the program, the map of its sources for stacks, under both names, and all licences', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build (\S+) (\S+)$/gmu)].map(([, from, to]) => [from, to]);
    assert.deepEqual(copied, [
      ['/evenkeel/evenkeel', '/bin/evenkeel'],
      ['/evenkeel/evenkeel.map', '/bin/evenkeel.map'],
      ['/evenkeel/evenkeel', '/bin/descheduler'],
      ['/evenkeel/evenkeel.map', '/bin/descheduler.map'],
      ['/evenkeel/dist/THIRD-PARTY-LICENSES', '/licenses/THIRD-PARTY-LICENSES'],
    ]);
  });

  it('has a program that starts by its path, with nothing around it', () => {
    const [, edit = ''] = /sed '([^']+)' dist\/evenkeel\.cjs > evenkeel/u.exec(dockerfile) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-image-'));
    try {
      const file = join(folder, 'descheduler');
      const here = edit.replace('/nodejs/bin/node', process.execPath);
      execFileSync('sh', [
        '-c',
        `sed '${here}' '${join(root, 'dist', 'evenkeel.cjs')}' > '${file}' && chmod 755 '${file}'`,
      ]);
      const { status, stdout, stderr } = spawnSync(file, ['version'], { cwd: folder, env: {}, encoding: 'utf8' });
      assert.deepEqual([status, stderr, stdout.split('\n')[0]], [0, '', `evenkeel ${VERSION}`]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is built from what .dockerignore lets through', () => {
    const allowed = [...readFileSync(join(root, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gmu)].map(
      ([, name]) => name,
    );
    const needed = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gmu)].flatMap(([, names = '']) => names.split(' '));
    assert.deepEqual([...new Set(needed)].sort(), allowed.sort());
  });
});

function read(...path: readonly string[]): string {
  return readFileSync(join(manifests, ...path), 'utf8');
}

function documents(...path: readonly string[]): readonly Manifest[] {
  return parseAllDocuments(read(...path)).map((document) => document.toJS() as Manifest);
}

/** Those of the descheduler; the lifecycle controllers have an account of their own (lifecycle-manifests.test.ts). */
function all(): readonly Manifest[] {
  const folders = readdirSync(manifests).filter((folder) => folder !== 'lifecycle');
  return folders.flatMap((folder) =>
    readdirSync(join(manifests, folder))
      .filter((file) => file !== 'kustomization.yaml')
      .flatMap((file) => documents(folder, file)),
  );
}

function only(kind: string): Manifest {
  const found = all().filter((manifest) => manifest.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0] as Manifest;
}

function rights({ apiGroups, resources, resourceNames, verbs }: Rule): readonly string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => [verb, group === '' ? resource : `${resource}.${group}`, ...(resourceNames ?? [])].join(' ')),
    ),
  );
}

/** The pod of a Job, a CronJob or a Deployment. */
function podSpecOf(way: (typeof WAYS)[number]): PodSpec {
  interface Template {
    readonly template: { readonly spec: PodSpec };
  }
  const [{ spec }] = documents(way, `${way}.yaml`) as unknown as [
    { spec: Template & { jobTemplate?: { spec: Template } } },
  ];
  return (spec.jobTemplate?.spec ?? spec).template.spec;
}
