import type { PodSpec } from '../../cluster/objects/pod.ts';
import { keyedBy } from '../counts/memo.ts';
import { singleCheck, type Rule } from './misfit.ts';
import type { Places } from '../counts/places.ts';

/** NodeDeclaredFeatures: what few pods need and a node must have declared (rule S19). */
export function declaredFeaturesRule(places: Places): Rule {
  return {
    check: ({ spec }) => {
      const needed = featuresOf(spec);
      if (needed.length === 0) return undefined;
      const missing = (place: number) => {
        const { declaredFeatures } = places.at(place);
        return needed.find((feature) => !declaredFeatures.includes(feature));
      };
      const text = (place: number) => `does not declare the feature ${missing(place) ?? ''}`;
      return singleCheck('features', (place) => missing(place) === undefined, text);
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
