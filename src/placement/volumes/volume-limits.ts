import type { AttachedVolumes } from './attached-volumes.ts';
import { singleCheck, type Rule } from '../filters/misfit.ts';
import type { Warnings } from '../warnings.ts';

/** NodeVolumeLimits: no more volumes of a CSI driver than its node can attach (rule S12). */
export function volumeLimitsRule(attached: AttachedVolumes, warnings: Warnings): Rule {
  return {
    scope: 'node',
    check: (candidate) => {
      const wanted = attached.wantedBy(candidate);
      if (wanted.length === 0 || !warnings.knows('CSINode', 'attach limits of volumes')) return undefined;
      const drivers = [...new Set(wanted.map(({ driver }) => driver))];
      const count = (place: number, driver: string) => attached.count(place, driver, { candidate, wanted });
      const exceeded = (place: number) =>
        drivers.find((driver) => {
          const limit = attached.limit(place, driver);
          return limit !== undefined && count(place, driver) > limit;
        });
      const text = (place: number) => {
        const driver = exceeded(place) ?? '';
        const limit = attached.limit(place, driver) ?? 0;
        return `would attach ${count(place, driver)} volumes of ${driver}, the node's limit is ${limit}`;
      };
      return singleCheck('volume-limit', (place) => exceeded(place) === undefined, text);
    },
  };
}
