import type { Path } from '../../findings/finding.ts';
import type { Report, Trace } from '../report.ts';
import { fieldOf, isMap, listOf } from '../checks/schema-walk.ts';
import { MOVES } from './v1alpha1.ts';

/** The parameters of one strategy of a v1alpha1 policy, and where they stand. */
interface Given {
  readonly name: string;
  readonly params: unknown;
  readonly path: Path;
}

/** Arguments in the new shape; traces lead from the args to the params. */
interface Moved {
  readonly args: Readonly<Record<string, unknown>>;
  readonly traces: readonly Trace[];
}

/** The arguments of a strategy out of its v1alpha1 parameters; parameters that it does not read are warnings. */
export function strategyArgs(given: Given, report: Report): Moved {
  warnOfUnread(given, report);
  const moves = MOVES[given.name] ?? [];
  const moved = moves.flatMap(({ from, to }): [string, unknown][] => {
    const value = valueAt(given.params, from);
    return value === undefined ? [] : [[to, value]];
  });
  const special = specialArgs(given);
  return {
    args: { ...Object.fromEntries(moved), ...special.args },
    traces: [...moves.map(({ from, to }) => ({ from, to: [to] })), ...special.traces],
  };
}

function specialArgs({ name, params }: Given): Moved {
  if (name === 'PodLifeTime') return lifeTimeStates(params);
  if (name !== 'RemovePodsViolatingTopologySpreadConstraint') return { args: {}, traces: [] };
  const soft = fieldOf(params, 'includeSoftConstraints') === true;
  return {
    args: { constraints: ['DoNotSchedule', ...(soft ? ['ScheduleAnyway'] : [])], topologyBalanceNodeFit: true },
    traces: [{ to: ['constraints'], from: ['includeSoftConstraints'] }],
  };
}

/** The phases come first, then the states (rule C5). */
function lifeTimeStates(params: unknown): Moved {
  const section = fieldOf(params, 'podLifeTime');
  const parts = ['podStatusPhases', 'states'].flatMap((key) => {
    return listOf(section, key).map((state, index) => ({ state, from: ['podLifeTime', key, index] }));
  });
  if (parts.length === 0) return { args: {}, traces: [] };
  return {
    args: { states: parts.map(({ state }) => state) },
    traces: parts.map(({ from }, index) => ({ to: ['states', index], from })),
  };
}

const evictorParams = [['thresholdPriority'], ['thresholdPriorityClassName'], ['nodeFit']];
const specialParams: Readonly<Record<string, readonly (readonly string[])[]>> = {
  PodLifeTime: [
    ['podLifeTime', 'podStatusPhases'],
    ['podLifeTime', 'states'],
  ],
  RemovePodsViolatingTopologySpreadConstraint: [['includeSoftConstraints']],
};

function readBy(name: string): readonly (readonly string[])[] {
  return [...(MOVES[name] ?? []).map(({ from }) => from), ...(specialParams[name] ?? []), ...evictorParams];
}

function warnOfUnread({ name, params, path }: Given, report: Report): void {
  if (!isMap(params)) return;
  const read = readBy(name);
  for (const from of Object.keys(params).flatMap((key) => leaves(key, params[key]))) {
    if (read.some((known) => known.every((step, index) => step === from[index]))) continue;
    const others = Object.keys(MOVES).filter((other) => readBy(other).some((known) => known.join() === from.join()));
    const message = `${name} does not read ${from.join('.')}`;
    const hint = others.length > 0 && others.length < 4 ? `it is a parameter of ${others.join(', ')}` : undefined;
    report.warning([...path, ...from], { code: 'no-effect', message, hint, at: 'key' });
  }
  if (name === 'PodLifeTime' && params.nodeFit === true) {
    const message = 'nodeFit has no effect: PodLifeTime never asks whether a pod fits elsewhere in this version';
    report.warning([...path, 'nodeFit'], { code: 'no-effect', message, at: 'key' });
  }
}

/** The parameters below a key; only sections are looked into, not what a single parameter holds. */
function leaves(key: string, value: unknown): readonly (readonly string[])[] {
  const isSection = Object.values(MOVES)
    .flat()
    .some(({ from }) => from.length === 2 && from[0] === key);
  return isSection && isMap(value) ? Object.keys(value).map((child) => [key, child]) : [[key]];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(fieldOf, value);
}
