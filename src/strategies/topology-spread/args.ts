import { z } from 'zod';
import * as fragment from '../arg-fragments.ts';

const whenUnsatisfiable = z.enum(['DoNotSchedule', 'ScheduleAnyway']);

/** Arguments of RemovePodsViolatingTopologySpreadConstraint (rule T26); an empty list counts as none. */
export const removePodsViolatingTopologySpreadConstraintArgs = z.strictObject({
  ...fragment.podFilter,
  constraints: z
    .array(whenUnsatisfiable)
    .default(['DoNotSchedule'])
    .transform((list): readonly z.infer<typeof whenUnsatisfiable>[] => (list.length > 0 ? list : ['DoNotSchedule']))
    .describe('which constraints are enforced, by their whenUnsatisfiable'),
  topologyBalanceNodeFit: z.boolean().default(true).describe('a pod is evicted only if it fits in a smaller domain'),
});

/** Checked arguments of RemovePodsViolatingTopologySpreadConstraint. */
export type RemovePodsViolatingTopologySpreadConstraintArgs = z.infer<
  typeof removePodsViolatingTopologySpreadConstraintArgs
>;
