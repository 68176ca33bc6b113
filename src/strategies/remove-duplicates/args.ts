import { z } from 'zod';
import * as fragment from '../arg-fragments.ts';

/** Arguments of RemoveDuplicates (rule T11). */
export const removeDuplicatesArgs = z.strictObject({
  namespaces: fragment.namespaces.optional(),
  excludeOwnerKinds: fragment.names.optional().describe('pods with an owner of one of these kinds are left alone'),
});

/** Checked arguments of RemoveDuplicates. */
export type RemoveDuplicatesArgs = z.infer<typeof removeDuplicatesArgs>;
