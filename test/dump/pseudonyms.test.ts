import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pruneObject } from '../../src/cluster/decode/decode.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';
import { demoObjects } from '../../src/demo/cluster.ts';
import { Pseudonyms } from '../../src/dump/pseudonyms.ts';
import type { CycleReport, Eviction, Refusal } from '../../src/outcomes/outcome.ts';
import { contentsOf, type Raw } from '../builders/contents.ts';
import { POLICIES } from '../contracts/extremes.ts';
import { cycle } from '../descheduler/policies.ts';
import { loaded } from '../policy/policy-text.ts';
import { suiteNeeding } from '../suites.ts';

const shared = join(import.meta.dirname, '..', '..', '..', 'shared');

describe('a dump under pseudonyms', () => {
  it('gives the same plan of the demo', () => samePlan(demoObjects()));

  it('holds no name, namespace, label value or image of the demo', () => {
    const told = JSON.stringify(redacted(demoObjects()));
    const texts = new Set(pruned(demoObjects()).flatMap(tellingTexts));
    const everywhere = /^(?:(?:default|kube|public|system)(?:-|$))+$|^kube-node-lease$|^system-\w+-critical$|^$/u;
    assert.ok(texts.size > 100);
    assert.deepEqual(
      [...texts].filter((text) => !everywhere.test(text) && isValueIn(told, text)),
      [],
    );
  });

  it('keeps what rules know and what is compared as a number', () => {
    const hidden = redacted([
      {
        kind: 'Pod',
        metadata: { name: 'web-0', namespace: 'kube-system', uid: 'u1', labels: { app: 'shop', size: '3' } },
        spec: {
          priorityClassName: 'system-cluster-critical',
          schedulerName: 'default-scheduler',
          affinity: nodeAffinity({ key: 'size', operator: 'Gt', values: ['2'] }),
        },
      },
    ])[0] as unknown as Hidden;
    const { metadata, spec } = hidden;
    assert.match(metadata.name, /^\w+-\w+$/u);
    assert.deepEqual([metadata.namespace, metadata.uid, metadata.labels['size']], ['kube-system', 'u1', '3']);
    assert.notEqual(metadata.labels['app'], 'shop');
    assert.deepEqual(spec, {
      priorityClassName: 'system-cluster-critical',
      schedulerName: 'default-scheduler',
      affinity: nodeAffinity({ key: 'size', operator: 'Gt', values: ['2'] }),
    });
  });
});

const trace = join(shared, 'data', 'openb.json.gz');
suiteNeeding({ group: 'a production trace', isMet: existsSync(trace) }, 'a trace under pseudonyms', () => {
  it('gives the same plan', () =>
    samePlan((JSON.parse(gunzipSync(readFileSync(trace)).toString()) as { items: Raw[] }).items, ['the default']));
});

const lab = join(shared, 'lab', 'gen.mjs');
suiteNeeding({ group: 'a lab cluster', isMet: existsSync(lab) }, 'a lab cluster under pseudonyms', () => {
  it('gives the same plan', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-lab-'));
    try {
      const file = join(folder, 'lab.json');
      const size = '--nodes 20 --pods-per-node 15 --seed 7 --messy 1 --fat 0 --out'.split(' ');
      execFileSync('node', [lab, ...size, file]);
      await samePlan((JSON.parse(readFileSync(file, 'utf8')) as { items: Raw[] }).items);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function nodeAffinity(expression: object): object {
  const nodeSelectorTerms = [{ matchExpressions: [expression] }];
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

interface Hidden {
  readonly metadata: Readonly<Record<'name' | 'namespace' | 'uid', string>> & {
    readonly labels: Record<string, string>;
  };
  readonly spec: object;
}

/** Keys may be the same words. */
function isValueIn(json: string, text: string): boolean {
  return json
    .split(JSON.stringify(text))
    .slice(1)
    .some((rest) => !rest.startsWith(':'));
}

function tellingTexts(object: Raw): readonly string[] {
  const {
    name,
    namespace = '',
    labels = {},
  } = object.metadata as Raw['metadata'] & { labels?: Record<string, string> };
  const images = [...JSON.stringify(object).matchAll(/"image":"([^"]+)"/gu)].map(([, image = '']) => image);
  return [name, namespace, ...Object.values(labels), ...images];
}

/** What happens to which pod, and where it could go, by UIDs and places in the order of names. */
function outline({ evictions, refusals }: CycleReport, { nodes }: Snapshot): readonly unknown[] {
  const place = (name: string) => nodes.findIndex((node) => node.name === name);
  const of = ({ pod, strategy }: Eviction | Refusal) => [pod.uid, place(pod.nodeName), strategy];
  return [
    ...evictions.map((it) => [...of(it), it.destinations, it.likelyNodes.map(place), it.result]),
    ...refusals.map((it) => [...of(it), it.refusedBy]),
  ];
}

async function samePlan(objects: readonly Raw[], policies: Iterable<string> = POLICIES.keys()): Promise<void> {
  const plain = new Snapshot(contentsOf(pruned(objects)));
  const hidden = new Snapshot(contentsOf(redacted(objects)));
  assert.deepEqual(
    hidden.pods.map(({ uid }) => uid),
    plain.pods.map(({ uid }) => uid),
  );
  for (const policy of policies) {
    const rules = loaded(POLICIES.get(policy) ?? '');
    const [expected, actual] = [await cycle(rules, plain), await cycle(rules, hidden)];
    assert.deepEqual(outline(actual, hidden), outline(expected, plain), policy);
  }
}

function pruned(objects: readonly object[]): readonly Raw[] {
  return objects.flatMap((object) => (pruneObject((object as Raw).kind, object) ?? []) as Raw[]);
}

function redacted(objects: readonly object[]): readonly Raw[] {
  const pseudonyms = new Pseudonyms();
  const all = pruned(objects);
  for (const object of all) pseudonyms.collect(object);
  return all.map((object) => pseudonyms.redact(object) as Raw);
}
