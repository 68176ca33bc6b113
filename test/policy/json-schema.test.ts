import assert from 'node:assert/strict';
import { policySchema } from '../../src/policy/json-schema.ts';

/** Follows keys and indexes through plain JSON. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, step) => {
    const fields = (found ?? {}) as Record<string | number, unknown>;
    return fields[step];
  }, value);
}

describe('the JSON Schema of a policy', () => {
  const schema: unknown = JSON.parse(JSON.stringify(policySchema()));

  it('knows every top-level key, and no others', () => {
    assert.deepEqual(Object.keys(at(schema, 'properties') as object), [
      'apiVersion',
      'kind',
      'metadata',
      'nodeSelector',
      'maxNoOfPodsToEvictPerNode',
      'maxNoOfPodsToEvictPerNamespace',
      'maxNoOfPodsToEvictTotal',
      'maxNoOfPodsToEvictPerOwner',
      'evictionWindows',
      'evictionCooldown',
      'blockedPodBackoff',
      'pauseWhen',
      'history',
      'evictionFailureEventNotification',
      'gracePeriodSeconds',
      'metricsCollector',
      'metricsProviders',
      'scheduler',
      'profiles',
    ]);
    assert.equal(at(schema, 'additionalProperties'), false);
  });

  it('describes every key', () => {
    const properties = at(schema, 'properties') as Record<string, unknown>;
    const silent = Object.keys(properties).filter((key) => at(properties, key, 'description') === undefined);
    assert.deepEqual(silent, ['apiVersion', 'kind']);
  });

  it('has the arguments of every plugin', () => {
    const entries = at(schema, 'properties', 'profiles', 'items', 'properties', 'pluginConfig', 'items', 'anyOf');
    const names = (entries as unknown[]).map((entry) => at(entry, 'properties', 'name', 'const'));
    assert.deepEqual([...names].sort(), [
      'DefaultEvictor',
      'HighNodeUtilization',
      'LowNodeUtilization',
      'PodLifeTime',
      'RemoveDuplicates',
      'RemoveFailedPods',
      'RemovePodsHavingTooManyRestarts',
      'RemovePodsViolatingInterPodAntiAffinity',
      'RemovePodsViolatingNodeAffinity',
      'RemovePodsViolatingNodeTaints',
      'RemovePodsViolatingTopologySpreadConstraint',
    ]);
    const low = (entries as unknown[]).find(
      (entry) => at(entry, 'properties', 'name', 'const') === 'LowNodeUtilization',
    );
    assert.deepEqual(at(low, 'properties', 'args', 'required'), ['thresholds', 'targetThresholds']);
  });
});
