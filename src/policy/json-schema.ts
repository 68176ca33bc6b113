import { z } from 'zod';
import { plugins } from './plugins.ts';
import { documentWith } from './v1alpha2.ts';

/** The JSON Schema of a v1alpha2 policy, for editors and linters: what `policy schema` prints. */
export function policySchema(): object {
  const entries = [...plugins.values()].map(({ name, args }) =>
    z.strictObject({ name: z.literal(name), args: args.optional().describe(`arguments of ${name}`) }),
  );
  const schema = z.toJSONSchema(documentWith(z.union(entries)), { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: 'DeschedulerPolicy, descheduler/v1alpha2' };
}
