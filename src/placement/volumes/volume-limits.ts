import type { AttachedVolumes } from './attached-volumes.ts';
import { singleCheck, type Rule } from '../filters/filter-failure.ts';
import type { Warnings } from '../warnings.ts';

/** NodeVolumeLimits: no more volumes of a CSI driver than its node can attach (rule S12). */
export function volumeLimitsRule(attached: AttachedVolumes, warnings: Warnings): Rule {
  return {
    scope: 'node',
    check: (candidate) => {
      const wanted = attached.wantedBy(candidate);
      if (wanted.length === 0 || !warnings.knows('CSINode', 'attach limits of volumes')) return undefined;
      const drivers = [...new Set(wanted.map(({ driver }) => driver))];
      const count = (nodeIndex: number, driver: string) => attached.count(nodeIndex, driver, { candidate, wanted });
      const exceeded = (nodeIndex: number) =>
        drivers.find((driver) => {
          const limit = attached.limit(nodeIndex, driver);
          return limit !== undefined && count(nodeIndex, driver) > limit;
        });
      const text = (nodeIndex: number) => {
        const driver = exceeded(nodeIndex) ?? '';
        const limit = attached.limit(nodeIndex, driver) ?? 0;
        return `would attach ${count(nodeIndex, driver)} volumes of ${driver}, the node's limit is ${limit}`;
      };
      return singleCheck('volume-limit', (nodeIndex) => exceeded(nodeIndex) === undefined, text);
    },
  };
}
