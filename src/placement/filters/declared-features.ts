import type { PodSpec } from '../../cluster/objects/pod.ts';
import { keyedBy } from '../counts/memo.ts';
import { singleCheck, type Rule } from './filter-failure.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';

/** NodeDeclaredFeatures: what few pods need and a node must have declared (rule S19). */
export function declaredFeaturesRule(nodeIndexes: NodeIndexes): Rule {
  return {
    check: ({ spec }) => {
      const needed = featuresOf(spec);
      if (needed.length === 0) return undefined;
      const missing = (nodeIndex: number) => {
        const { declaredFeatures } = nodeIndexes.at(nodeIndex);
        return needed.find((feature) => !declaredFeatures.includes(feature));
      };
      const text = (nodeIndex: number) => `does not declare the feature ${missing(nodeIndex) ?? ''}`;
      return singleCheck('features', (nodeIndex) => missing(nodeIndex) === undefined, text);
    },
  };
}

const featuresOf = keyedBy((spec: PodSpec): readonly string[] => {
  const restartsAll = [...spec.containers, ...spec.initContainers].some((container) => container.restartsAll);
  const sharesNetworkOnly = spec.hostNetwork && spec.hostUsers === false;
  return [
    ...(restartsAll ? ['RestartAllContainersOnContainerExits'] : []),
    ...(sharesNetworkOnly ? ['UserNamespacesHostNetworkSupport'] : []),
  ];
});
