import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { stringify } from 'yaml';
import type { ClusterContents } from '../../src/cluster/snapshot.ts';
import type { ByteSource } from '../../src/dump/byte-source.ts';
import { Loader } from '../../src/dump/loader.ts';
import { JsonStream } from '../../src/dump/json-stream.ts';
import { readDump } from '../../src/dump/read-dump.ts';
import { Stepper } from '../../src/dump/stepper.ts';
import { apiObject } from '../cluster/api-objects.ts';
import { inFolder, type Files } from './folder.ts';

type Json = Readonly<Record<string, unknown>>;

const list = (items: readonly Json[]): Json => ({
  apiVersion: 'v1',
  kind: 'List',
  items,
  metadata: { resourceVersion: '' },
});
const withoutKind = (item: Json): Json => Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'kind'));
const typedLists = (items: readonly Json[]): readonly Json[] =>
  [...new Set(items.map((item) => String(item['kind'])))].map((kind) => ({
    items: items.filter((item) => item['kind'] === kind).map(withoutKind),
    kind: `${kind}List`,
  }));

/** Ways to write the same objects. */
const layouts: Readonly<Record<string, (items: readonly Json[]) => Files>> = {
  'a List on one line': (items) => ({ 'a.json': JSON.stringify(list(items)) }),
  'an indented List': (items) => ({ 'a.json': JSON.stringify(list(items), undefined, 4) }),
  'one object a line inside a List': (items) => ({
    'a.json': `{"kind":"List","items":[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]}`,
  }),
  'JSON lines': (items) => ({ 'a.jsonl': items.map((item) => JSON.stringify(item)).join('\n') }),
  'concatenated JSON': (items) => ({ 'a.json': items.map((item) => JSON.stringify(item, undefined, 2)).join('') }),
  'an array': (items) => ({ 'a.json': JSON.stringify(items) }),
  'typed lists that say their kind behind their items': (items) => ({
    'a.json': typedLists(items)
      .map((typed) => JSON.stringify(typed))
      .join('\n'),
  }),
  'lists inside a list': (items) => ({ 'a.json': JSON.stringify(list(typedLists(items))) }),
  gzip: (items) => ({ 'a.json': gzipSync(JSON.stringify(list(items))) }),
  'gzip of several parts': (items) => ({
    'a.gz.json': Buffer.concat(items.map((item) => gzipSync(JSON.stringify(item)))),
  }),
  'a YAML List': (items) => ({ 'a.yaml': stringify(list(items)) }),
  'a YAML List with indented items': (items) => ({ 'a.yaml': stringify(list(items), { indentSeq: true, indent: 4 }) }),
  'YAML documents': (items) => ({ 'a.yml': items.map((item) => stringify(item)).join('---\n') }),
  'a folder with a file each': (items) =>
    Object.fromEntries(items.map((item, index) => [`${index % 3}/${index}.json`, JSON.stringify(item)])),
  'UTF-8 with a byte order mark': (items) => ({ 'a.json': `\uFEFF${JSON.stringify(list(items))}` }),
  'UTF-16 as PowerShell writes it': (items) => ({
    'a.json': Buffer.from(`\uFEFF${JSON.stringify(list(items))}`, 'utf16le'),
  }),
};

const objects = fc
  .array(
    fc.constantFrom('Pod', 'Node', 'PodDisruptionBudget', 'Lease').chain((kind) => apiObject(kind as 'Pod')),
    { minLength: 1, maxLength: 6 },
  )
  // A tie is broken by content, which is no matter of layout.
  .map((items) => items.map((item, index) => versioned(JSON.parse(JSON.stringify(item)) as Json, index)));

function versioned(item: Json, index: number): Json {
  return { ...item, metadata: { ...(item['metadata'] as Json), resourceVersion: String(index + 1) } };
}

describe('the same objects', () => {
  for (const [sentence, layout] of Object.entries(layouts)) {
    it(`as ${sentence} give the same cluster`, async () => {
      await fc.assert(
        fc.asyncProperty(objects, async (items) => assert.deepEqual(await readOf(layout(items)), plainly(items))),
        { numRuns: 15 },
      );
    });
  }

  it('in any order give the same cluster, also if some are there twice', async () => {
    const shuffled = objects.chain((items) =>
      fc.tuple(fc.constant(items), fc.shuffledSubarray([...items, ...items], { minLength: items.length * 2 })),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, async ([items, others]) => {
        const files = { 'b.json': JSON.stringify(list(others)) };
        assert.deepEqual((await readOf(files)).contents, plainly(items).contents);
      }),
      { numRuns: 30 },
    );
  });

  it('in any pieces give the same cluster, wherever a piece ends', async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 40 }), async (items, size) => {
        const text = `${JSON.stringify(list(items), undefined, 1)}\n${typedLists(items)
          .map((typed) => JSON.stringify(typed))
          .join('\n')}`;
        const loader = new Loader();
        const open = (): ByteSource => inPieces(Buffer.from(text), size);
        const stepper = new Stepper(open(), loader.reader);
        await new JsonStream({ file: 'a.json', stepper, reopen: () => Promise.resolve(open()) }, loader).readAll();
        assert.deepEqual(loader.collection.contents(), plainly(items).contents);
        const read = items.filter((item) => item['metadata']).length;
        assert.equal(loader.collection.taken - 1 - typedLists(items).length, read * 2);
      }),
      { numRuns: 30 },
    );
  });
});

/** A cluster, and what the report says of values that cannot be read. */
interface Read {
  readonly contents: ClusterContents;
  readonly unreadable: readonly string[];
}

async function readOf(files: Files): Promise<Read> {
  const { contents, warnings } = await inFolder(files, (folder) => readDump([folder]));
  return { contents, unreadable: warnings.filter((line) => / counts? as absent/.test(line)) };
}

/** The objects as parsed JSON, by the way that needs none of the streaming. */
function plainly(items: readonly Json[]): Read {
  const loader = new Loader();
  loader.take(items, 'a.json');
  return resultOf(loader);
}

function resultOf({ collection, unreadable }: Loader): Read {
  return { contents: collection.contents(), unreadable: unreadable.warnings() };
}

function inPieces(bytes: Buffer, size: number): ByteSource {
  let at = 0;
  return {
    repeatable: true,
    offset: 0,
    read: (buffer, target) => {
      const copied = bytes.copy(buffer, target, at, Math.min(at + size, bytes.length));
      at += copied;
      return Promise.resolve(copied);
    },
    close: () => Promise.resolve(),
  };
}
