import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDump, type Layout } from '../../bench/dump/generate.ts';
import { readDump } from '../../src/dump/read-dump.ts';
import { inFolder } from './folder.ts';

describe('the generated dump of the benchmark', () => {
  const cluster = { nodes: 3, pods: 40, replicas: 10 };

  it('is the same cluster in every layout, with one spec for the pods of a workload', async () => {
    const layouts: readonly Layout[] = ['lines', 'indented', 'minified', 'jsonl'];
    await inFolder({}, async (folder) => {
      const dumps = await Promise.all(
        [...layouts, 'gzip' as const].map(async (layout) => {
          const path = join(folder, `${layout}.json`);
          await generateDump(path, {
            ...cluster,
            ...(layout === 'gzip' ? { layout: 'lines', gzip: true } : { layout }),
          });
          return readDump([path]);
        }),
      );
      for (const { contents, warnings } of dumps) {
        assert.deepEqual(contents, dumps[0]?.contents);
        assert.deepEqual([contents.nodes.length, contents.pods.length, warnings], [3, 40, []]);
        assert.equal(contents.others.ReplicaSet?.length, 4);
        assert.equal(new Set(contents.pods.map((pod) => pod.spec)).size, 4);
      }
    });
  });

  it('is the same for the same seed only', async () => {
    await inFolder({}, async (folder) => {
      const bytes: string[] = [];
      for (const seed of [7, 7, 8]) {
        await generateDump(join(folder, 'a.json'), { ...cluster, layout: 'lines', seed });
        bytes.push(readFileSync(join(folder, 'a.json'), 'latin1'));
      }
      assert.equal(bytes[0], bytes[1]);
      assert.notEqual(bytes[0], bytes[2]);
    });
  });
});
