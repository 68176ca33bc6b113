import { formatAmount, type Resources } from '../../cluster/amounts/resources.ts';
import { METRIC_RESOURCE } from './args.ts';
import { percentOf } from './thresholds.ts';

/** Percent with at most one decimal: `80%`, `12.5%`, `over 1000000%`. */
export function percentText(value: number): string {
  return `${rounded(value, 1)}%`;
}

/** Beyond this nobody compares percents. */
const MOST_PERCENT = 1_000_000;

function rounded(percent: number, digits: number): string {
  if (Math.abs(percent) <= MOST_PERCENT) return String(Number(percent.toFixed(digits)));
  return percent > 0 ? `over ${MOST_PERCENT}` : `under -${MOST_PERCENT}`;
}

/** `CPU 34% > 20%`, with as many decimals as it takes to see that the two differ. */
export function comparison(name: string, value: number, bound: number): string {
  const sign = value > bound ? '>' : '≤';
  const digits = [1, 2, 3, 4].find((count) => value === bound || value.toFixed(count) !== bound.toFixed(count)) ?? 5;
  return `${label(name)} ${rounded(value, digits)}% ${sign} ${rounded(bound, digits)}%`;
}

/** `CPU 80% of 4 cores (target 50%) and pods 90% of 10 (target 50%)`, for the resources named. */
export function levels(
  names: readonly string[],
  state: { readonly used: Resources; readonly capacity: Resources },
  bound: { readonly word: string; readonly limits: Resources },
): string {
  const parts = names.map((name) => {
    const whole = state.capacity[name] ?? 0;
    const amount = name in state.capacity && name !== METRIC_RESOURCE ? ` of ${withUnit(name, whole)}` : '';
    const percent = percentText(percentOf(state.used[name] ?? 0, whole));
    return `${label(name)} ${percent}${amount} (${bound.word} ${percentText(bound.limits[name] ?? 100)})`;
  });
  return join(parts);
}

/** A resource as people write it. */
export function label(name: string): string {
  return name === 'cpu' ? 'CPU' : name;
}

/** `4 cores`, `1.5 cores`, `16Gi`, `110`. */
function withUnit(name: string, amount: number): string {
  if (name !== 'cpu') return formatAmount(name, amount);
  const cores = Number((amount / 1000).toFixed(3));
  return cores === 1 ? '1 core' : `${cores} cores`;
}

/** Usage against bounds, `CPU 34% > 20%`: the resources that lie above, or the one that comes closest to it. */
export function againstBounds(percent: Resources, bounds: Resources): string {
  const rows = Object.entries(bounds)
    .map(([name, bound]) => ({ name, bound, value: percent[name] ?? 0 }))
    .sort((a, b) => b.value - b.bound - (a.value - a.bound));
  const above = rows.filter(({ value, bound }) => value > bound);
  return (above.length > 0 ? above : rows.slice(0, 1))
    .map(({ name, value, bound }) => comparison(name, value, bound))
    .join(', ');
}

/** `a`, `a and b`, `a, b and c`. */
export function join(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
