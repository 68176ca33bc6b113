import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Files by path within the folder. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** Runs a test with these files in a folder of their own, which is gone afterwards. */
export async function inFolder<T>(files: Files, test: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-dump-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return await test(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
