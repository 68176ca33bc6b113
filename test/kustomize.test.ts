import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { suiteNeeding } from './suites.ts';

const root = join(import.meta.dirname, '..');
const build = join(root, '..', 'shared', 'tools', 'build.sh');
const isMet = existsSync(build);

suiteNeeding({ group: 'kustomize', isMet }, 'the manifests as kustomize builds them', () => {
  for (const way of ['job', 'cronjob', 'deployment']) {
    it(`${way} evicts nothing, unless manifests/act lets it`, () => {
      assert.deepEqual(dryRunsOf(way, []), ['--dry-run=true']);
      assert.deepEqual(dryRunsOf(way, ['act']), ['--dry-run=false']);
    });
  }
});

function dryRunsOf(way: string, components: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-kustomize-'));
  try {
    cpSync(join(root, 'manifests'), join(folder, 'manifests'), { recursive: true });
    mkdirSync(join(folder, 'overlay'));
    const overlay = {
      ...{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' },
      resources: [`../manifests/${way}`],
      components: components.map((name) => `../manifests/${name}`),
    };
    writeFileSync(join(folder, 'overlay', 'kustomization.yaml'), JSON.stringify(overlay));
    const kustomize = join(execFileSync(build, { encoding: 'utf8' }).trim(), 'kustomize');
    const built = execFileSync(kustomize, ['build', join(folder, 'overlay')], { encoding: 'utf8' });
    const text = JSON.stringify(parseAllDocuments(built).map((document) => document.toJS() as unknown));
    return [...text.matchAll(/"(--dry-run[^"]*)"/gu)].map(([, flag = '']) => flag);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
