import type { Snapshot } from '../cluster/snapshot.ts';
import type { Policy } from '../policy/policy.ts';
import { includedNamespaces, strategiesInOrder } from './profile.ts';

/**
 * Warnings of namespaces that strategies are limited to and that the cluster does not have: most often a misspelt name, and
 * the strategy then looks at nothing. Where namespaces are unknown, one with pods exists.
 */
export function absentNamespaces(policy: Policy, snapshot: Snapshot): readonly string[] {
  const known = snapshot.knows('Namespace');
  const exists = (name: string) =>
    snapshot.podsIn(name).length > 0 || snapshot.find('Namespace', '', name) !== undefined;
  return strategiesInOrder(policy).flatMap(({ profile, enabled: { strategy, args } }) => {
    const absent = includedNamespaces(args).filter((name) => !exists(name));
    if (absent.length === 0) return [];
    const where = profile.name === '' ? strategy.name : `${strategy.name} of profile ${profile.name}`;
    const what = known ? 'which the cluster does not have' : 'of which no pod was read';
    return [`${where} includes the namespace${absent.length === 1 ? '' : 's'} ${absent.join(', ')}, ${what}`];
  });
}
