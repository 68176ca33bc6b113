import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldReader } from '../../src/cluster/bytes/decode-bytes.ts';
import { FIELDS, type FieldsOf, type ReadKind } from '../../src/cluster/decode/decode-table.ts';
import { secondsOf } from '../../src/cluster/decode/decode-time.ts';
import { Decoder, type Decoded } from '../../src/cluster/decode/decode.ts';
import { SLACK } from '../../src/cluster/bytes/json-scanner.ts';
import { unreadableValues } from '../../src/cluster/decode/unreadable.ts';
import { anyApiObject, apiObject } from './api-objects.ts';

describe('reading fields from bytes', () => {
  it('gives what reading the parsed JSON gives, compact or indented, however often the same parts came before', () => {
    fc.assert(
      fc.property(
        fc.array(anyApiObject, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 1, 4),
        (objects, indent) => {
          const fromJson = new Decoder();
          const fromBytes = new Decoder();
          const reader = new FieldReader(fromBytes.interner);
          for (const object of [...objects, ...objects]) {
            const expected = fromJson.decodeObject(roundTrip(object));
            assert.deepEqual(
              readText(JSON.stringify(object, undefined, indent), { decoder: fromBytes, reader }),
              expected,
            );
            assert.equal(reader.hasUnreadable, unreadableValues(FIELDS[kindOf(object)], roundTrip(object)).length > 0);
          }
          assert.equal(fromBytes.latestTime, fromJson.latestTime);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('does not take a value for an earlier one that differs only in one key', () => {
    fc.assert(
      fc.property(apiObject('Pod'), fc.constantFrom(...SIBLINGS), (pod, [one, other]) => {
        const tools = readerOf();
        const text = JSON.stringify({ ...pod, spec: { ...SPEC, ...(pod['spec'] as object | null) } });
        for (const variant of [text, text.replaceAll(`"${one}":`, `"${other}":`), text]) {
          assert.deepEqual(readText(variant, tools, 'Pod'), new Decoder().decodeObject(JSON.parse(variant)));
        }
      }),
    );
  });

  it('finds keys and strings that are written with escapes', () => {
    const text = String.raw`{"\u006bind":"Pod","metad\u0061ta":{"name":"\u0077eb-1","labels":{"\u0061pp":"w\u0065b"}}}`;
    const expected = new Decoder().decodeObject({ kind: 'Pod', metadata: { name: 'web-1', labels: { app: 'web' } } });
    assert.deepEqual(readText(text, readerOf(), 'Pod'), expected);
  });

  it('lets the last of several equal keys win, also where equal bytes came before', () => {
    const tools = readerOf();
    readText('{"metadata":{"name":"a","labels":{}},"spec":{"priority":1}}', tools, 'Pod');
    const text = '{"metadata":{"name":"b","name":"c","labels":{}},"spec":{"priority":1,"priority":null}}';
    const expected = new Decoder().decodeObject(JSON.parse(text), 'Pod');
    assert.deepEqual(readText(text, tools, 'Pod'), expected);
  });

  it('gives pods that ask the same one spec, one map of labels, one list of owners', () => {
    const tools = readerOf();
    const podOf = (name: string, nodeName: string, token: string): string =>
      JSON.stringify({
        metadata: { name, labels: { app: 'web' }, ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u' }] },
        spec: {
          nodeName,
          containers: [{ name: 'main', env: [{ name: name }] }],
          volumes: [{ name: token, projected: {} }],
        },
        status: { containerStatuses: [{ name: 'main', containerID: name, ready: true }] },
      });
    const pods = ['a', 'b'].map((name) => readText(podOf(name, `on-${name}`, `token-${name}`), tools, 'Pod')?.object);
    const [a, b] = pods;
    assert(a?.kind === 'Pod' && b?.kind === 'Pod');
    assert.deepEqual([a.nodeName, b.nodeName], ['on-a', 'on-b']);
    assert.equal(a.spec, b.spec);
    assert.equal(a.labels, b.labels);
    assert.equal(a.owners, b.owners);
    assert.equal(a.status.containers, b.status.containers);
  });

  it('reads times of whole seconds as the engine does, and leaves the rest to it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
        const text = new Date(seconds * 1000).toISOString().replace('.000', '');
        const read = secondsOf(Buffer.from(text), 0, text.length);
        assert.equal(read, Number(text.slice(8, 10)) > 28 ? undefined : seconds * 1000);
      }),
    );
    for (const text of [
      '2026-01-01T00:00:60Z',
      '2026-00-01T00:00:00Z',
      '2026-01-01t00:00:00Z',
      '2026/01/01T00:00:00Z',
    ]) {
      assert.equal(secondsOf(Buffer.from(text), 0, text.length), undefined, text);
    }
  });
});

function roundTrip(object: unknown): unknown {
  return JSON.parse(JSON.stringify(object));
}

function kindOf({ kind }: Readonly<Record<string, unknown>>): ReadKind {
  return kind as ReadKind;
}

/** Keys that may stand in each other's place. */
const SIBLINGS = [
  ['hostNetwork', 'hostUsers'],
  ['key', 'value'],
  ['requests', 'limits'],
  ['initContainers', 'containers'],
  ['matchLabelKeys', 'mismatchLabelKeys'],
  ['podAffinity', 'podAntiAffinity'],
  ['hostPath', 'emptyDir'],
  ['image', 'name'],
  ['app', 'apq'],
] as const;

const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone', matchLabelKeys: ['a'] };
const SPEC = {
  hostNetwork: true,
  tolerations: [{ key: 'a', effect: 'NoSchedule' }],
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
  initContainers: [{ image: 'a', resources: { requests: { cpu: '1' } } }],
  volumes: [{ name: 'v', hostPath: {} }],
};

interface Tools {
  readonly decoder: Decoder;
  readonly reader: FieldReader;
}

function readerOf(): Tools {
  const decoder = new Decoder();
  return { decoder, reader: new FieldReader(decoder.interner) };
}

function readText(text: string, { decoder, reader }: Tools, given?: ReadKind): Decoded | undefined {
  const kind = given ?? (JSON.parse(text) as { readonly kind: ReadKind }).kind;
  const bytes = Buffer.concat([Buffer.from(text), Buffer.alloc(1 + SLACK)]);
  reader.moveTo(0, bytes, bytes.length - 1 - SLACK);
  const fields = reader.read<FieldsOf<ReadKind>>(FIELDS[kind]);
  assert.equal(reader.pos, bytes.length - 1 - SLACK, 'everything is read');
  return fields && decoder.decodeFields(kind, fields);
}
