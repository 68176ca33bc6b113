import { formatDuration } from '../../lib/duration.ts';
import { formatIntOrPercent, type IntOrPercent } from './int-or-percent.ts';

/** `1h`, `1h30m`: a duration without parts that are zero. */
export function spanText(ms: number): string {
  return formatDuration(ms)
    .replace(/(?<=[hm])0s$/u, '')
    .replace(/(?<=h)0m$/u, '');
}

/** A moment for people and machines, on the full second that follows it: `2026-01-02T12:40:00Z`. */
export function momentText(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

/** `1 pod`, `2 pods`. */
export function podsText(pods: number): string {
  return pods === 1 ? '1 pod' : `${pods} pods`;
}

/** ` (25% of its 4 pods)` for a percentage, nothing for a plain number. */
export function intOrPercentText(intOrPercent: IntOrPercent, pods: number): string {
  return 'percent' in intOrPercent ? ` (${formatIntOrPercent(intOrPercent)} of its ${podsText(pods)})` : '';
}

/** `1st`, `2nd`, `3rd`, `4th`, `11th`. */
export function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}
