import type { Node } from '../../cluster/objects/node.ts';
import { formatSelector } from '../../cluster/rules/selectors.ts';
import { firstFew } from '../words.ts';
import type { SpreadRule } from './spread-rules.ts';
import type { CountedRule } from './domain-counts.ts';

/** Why a pod of this domain should go: `is one of 5 pods matching app=web in zone=a; zone=b has 2, maxSkew is 1`. */
export function tooMany({ rule, tally }: CountedRule, domain: number): string {
  const { constraint, domains } = rule;
  const { topologyKey, maxSkew, minDomains } = constraint;
  const here = `is one of ${tally.at(domain)} pods matching ${pods(rule)} in ${topologyKey}=${domains.value(domain)}`;
  if (tally.lowestIsZero) {
    return `${here}, where at most ${maxSkew} may be: minDomains is ${minDomains ?? 1}, and there are ${domains.ids.length}`;
  }
  const emptiest = domains.ids.reduce((best, id) => (tally.at(id) < tally.at(best) ? id : best), domain);
  return `${here}; ${topologyKey}=${domains.value(emptiest)} has ${tally.at(emptiest)}, maxSkew is ${maxSkew}`;
}

/** What is known of the places that a pod could go to. */
export interface Outlook {
  /** The domains that may take one more. */
  readonly open: readonly number[];
  /** How many nodes there would take the pod. */
  readonly nodes: number;
  /** A node where it may well end up in vain. */
  readonly likelyReturn: Node | undefined;
}

/** Why it has to stay all the same. */
export function noBetterPlace({ rule }: CountedRule, { open, nodes, likelyReturn }: Outlook): string {
  const { topologyKey } = rule.constraint;
  if (open.length === 0) return 'but the constraint leaves no domain open to which it could move';
  if (nodes === 0) {
    const names = open.map((domain) => rule.domains.value(domain));
    return `but no node of ${topologyKey} ${firstFew(names)} takes it without breaking another rule`;
  }
  if (likelyReturn) return `but the scheduler is likely to put it on ${likelyReturn.name}, where nothing is gained`;
  return 'but the spread would be no better without it';
}

/** A constraint that still does not hold: `app=web by zone in shop: a has 5, b has 2, maxSkew is 1`. */
export function stillUneven({ rule, tally }: CountedRule): string {
  const { ids } = rule.domains;
  const [first = -1] = ids;
  const fullest = ids.reduce((best, id) => (tally.at(id) > tally.at(best) ? id : best), first);
  const emptiest = ids.reduce((best, id) => (tally.at(id) < tally.at(best) ? id : best), first);
  const has = (id: number) => `${rule.domains.value(id)} has ${tally.at(id)}`;
  const { maxSkew, minDomains } = rule.constraint;
  const limit = tally.lowestIsZero ? `minDomains is ${minDomains ?? 1}, ` : '';
  const range = fullest === emptiest ? has(fullest) : `${has(fullest)}, ${has(emptiest)}`;
  return `${ruleName(rule)}: ${range}, ${limit}maxSkew is ${maxSkew}`;
}

/** `app=web by zone in shop`. */
export function ruleName(rule: SpreadRule): string {
  return `${pods(rule)} by ${rule.constraint.topologyKey} in ${rule.namespace}`;
}

function pods({ constraint: { labelSelector } }: SpreadRule): string {
  return labelSelector ? formatSelector(labelSelector) || '{}' : 'no pods';
}
