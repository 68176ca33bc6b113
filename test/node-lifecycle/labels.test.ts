import type { Labels } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import { labelsToMirror } from '../../src/node-lifecycle/labels.ts';

describe('the old labels of a node (6.7)', () => {
  const rows: readonly (readonly [string, Labels, Labels | undefined])[] = [
    ['no labels stay none', {}, undefined],
    ['only a region', { 'topology.kubernetes.io/region': 'eu' }, undefined],
    [
      'both are made',
      { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
      { 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'amd64' },
    ],
    [
      'both are corrected',
      {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'windows',
        'beta.kubernetes.io/arch': 'arm',
      },
      { 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'amd64' },
    ],
    ['equal ones stay', { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }, undefined],
    ['an old one without a new one stays', { 'beta.kubernetes.io/os': 'linux' }, undefined],
  ];
  for (const [name, labels, wanted] of rows) {
    it(name, () => {
      assert.deepEqual(labelsToMirror(labels), wanted);
    });
  }
});
