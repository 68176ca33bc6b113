import type { Path } from '../../findings/finding.ts';
import type { EnabledStrategy, Profile } from '../policy.ts';
import type { Report } from '../report.ts';
import { fieldOf, isMap, listOf } from './schema-walk.ts';

/** A utilization strategy that runs, with its thresholds, and where the policy says so. */
interface Balancer {
  readonly name: string;
  /** `LowNodeUtilization in profile "a"`. */
  readonly text: string;
  /** Below all of these a node takes pods (Low) or is emptied (High). */
  readonly below: Thresholds;
  /** Above any of these a node gives pods away (Low). */
  readonly above: Thresholds;
  readonly areDeviations: boolean;
  /** Its line under `enabled`. */
  readonly path: Path;
  /** Its arguments in pluginConfig. */
  readonly argsPath: Path;
}

type Thresholds = Readonly<Record<string, number>>;

const LOW = 'LowNodeUtilization';
const HIGH = 'HighNodeUtilization';

/** More strategies that balance are not compared with each other: each with each is soon very many. */
const MOST_COMPARED = 100;

/** A threshold that no usage exceeds: the resource does not count. */
const NO_LIMIT = 100;

/**
 * Warns of strategies that undo each other's work forever: all profiles look at the same nodes. `raw` is the document
 * with its known keys, for the places of what is found.
 */
export function warnOfOpposites(raw: unknown, profiles: readonly Profile[], report: Report): void {
  const balancers = profiles.flatMap((profile, index) => balancersOf(raw, profile, index)).slice(0, MOST_COMPARED);
  const lows = balancers.filter(({ name }) => name === LOW);
  const highs = balancers.filter(({ name }) => name === HIGH);
  for (const low of lows) {
    warnOfNoGap(low, report);
    for (const high of highs) warnOfPair(low, high, report);
    for (const other of lows) if (other !== low) warnOfOverlap(low, other, report);
  }
}

function balancersOf(raw: unknown, { name: profile, balance }: Profile, index: number): readonly Balancer[] {
  const there = listOf(raw, 'profiles')[index];
  const enabled = listOf(fieldOf(fieldOf(there, 'plugins'), 'balance'), 'enabled');
  const configs = listOf(there, 'pluginConfig');
  const called = profile === '' ? '' : ` in profile ${profile}`;
  return balance
    .filter(({ strategy: { name } }) => name === LOW || name === HIGH)
    .map(({ strategy: { name }, args }: EnabledStrategy) => ({
      name,
      text: `${name}${called}`,
      below: thresholdsOf(args, 'thresholds'),
      above: thresholdsOf(args, 'targetThresholds'),
      areDeviations: fieldOf(args, 'useDeviationThresholds') === true,
      path: ['profiles', index, 'plugins', 'balance', 'enabled', enabled.indexOf(name)],
      argsPath: ['profiles', index, 'pluginConfig', configs.findIndex((one) => fieldOf(one, 'name') === name), 'args'],
    }));
}

function thresholdsOf(args: unknown, key: string): Thresholds {
  const map = fieldOf(args, key);
  const entries = Object.entries(isMap(map) ? map : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

/**
 * Where a node takes pods right up to the mark from which it gives them away, one pod tips it over. Deviations point away
 * from the average in both directions, so that only two zeros leave no gap.
 */
function warnOfNoGap({ below, above, areDeviations, argsPath }: Balancer, report: Report): void {
  for (const [resource, threshold] of Object.entries(below)) {
    const target = above[resource];
    const hasGap = areDeviations ? threshold + (target ?? 0) > 0 : target !== threshold;
    if (target === undefined || hasGap || threshold >= NO_LIMIT) continue;
    const message = `there is no gap between thresholds and targetThresholds of ${resource}, both ${threshold}: a node that has just taken pods gives some away in the next cycle`;
    const hint = 'lower the first or raise the second by at least what a pod or two take';
    report.warning([...argsPath, 'targetThresholds', resource], { code: 'no-gap', message, hint });
  }
}

function warnOfPair(low: Balancer, high: Balancer, report: Report): void {
  const message = `${high.text} and ${low.text} pull in opposite directions over the same nodes: the first empties nodes below ${listed(high.below)}, the second fills nodes below ${listed(low.below)}${low.areDeviations ? ' from the average' : ''}`;
  const hint = 'keep one of them, or split the nodes between two policies with nodeSelector';
  report.warning(high.path, { code: 'opposite-strategies', message, hint });
}

/** Nodes that one thinks too full and the other too empty hand the same pods back and forth. */
function warnOfOverlap(giving: Balancer, taking: Balancer, report: Report): void {
  if (giving.areDeviations || taking.areDeviations) return;
  for (const [resource, above] of Object.entries(giving.above)) {
    const below = taking.below[resource];
    if (below === undefined || above >= below) continue;
    const message = `${giving.text} takes pods from nodes above ${resource} ${above}, to which ${taking.text} brings pods as long as they are below ${resource} ${below}`;
    const hint = 'thresholds of one have to lie below targetThresholds of the other';
    report.warning(giving.path, { code: 'opposite-strategies', message, hint });
  }
}

function listed(thresholds: Thresholds): string {
  const parts = Object.entries(thresholds).map(([resource, percent]) => `${resource} ${percent}`);
  return parts.join(' and ');
}
