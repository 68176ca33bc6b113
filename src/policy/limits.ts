import type { EvictionWindow } from '../evictor/limits/limits.ts';
import { formatIntOrPercent } from '../evictor/limits/int-or-percent.ts';
import { spanText } from '../evictor/limits/limit-words.ts';
import type { HistoryPlace, Limits } from './policy.ts';
import type { Report } from './report.ts';
import type { PolicyDocument } from './v1alpha2.ts';

/** The limits of a checked document; those that it does not set are absent. */
export function limitsOf(document: PolicyDocument): Limits {
  const { maxNoOfPodsToEvictPerOwner: owner, evictionWindows: windows } = document;
  const { evictionCooldown: cooldown, blockedPodBackoff: blockedPods } = document;
  return {
    total: document.maxNoOfPodsToEvictTotal,
    node: document.maxNoOfPodsToEvictPerNode,
    namespace: document.maxNoOfPodsToEvictPerNamespace,
    ...(owner ? { owner } : {}),
    ...(windows ? { windows } : {}),
    ...(cooldown ? { cooldown } : {}),
    ...(blockedPods ? { blockedPods } : {}),
  };
}

/** Where the document wants evictions to be remembered, if it says so. */
export function historyOf({ history }: PolicyDocument): { readonly history?: HistoryPlace } {
  return history ? { history } : {};
}

/** Reports limits that are legal and hardly meant. */
export function warnOfLimits(document: PolicyDocument, report: Report): void {
  const { evictionWindows: windows = [], evictionCooldown, blockedPodBackoff, history } = document;
  for (const [index, window] of windows.entries()) {
    const stricter = windows.find(
      (other, at) => isStricter(other, window) && (at < index || !isStricter(window, other)),
    );
    if (!stricter) continue;
    const message = `never counts: ${textOf(stricter)} is at least as strict as ${textOf(window)}`;
    report.warning(['evictionWindows', index], { code: 'no-effect', message });
  }
  const perOwner = document.maxNoOfPodsToEvictPerOwner;
  if (perOwner && evictionCooldown && formatIntOrPercent(perOwner) !== '0' && formatIntOrPercent(perOwner) !== '0%') {
    const message = 'never counts: evictionCooldown lets one pod of an owner go in a cycle';
    report.warning(['maxNoOfPodsToEvictPerOwner'], { code: 'no-effect', message, at: 'key' });
  }
  if (history && windows.length === 0 && !evictionCooldown && !blockedPodBackoff) {
    const message = 'nothing is remembered, since no limit looks back';
    const hint = 'set evictionWindows, evictionCooldown or blockedPodBackoff, or leave history out';
    report.warning(['history'], { code: 'no-effect', message, hint, at: 'key' });
  }
}

/** Whether whatever keeps within `a` keeps within `b`, too. Numbers and percentages are not compared. */
function isStricter(a: EvictionWindow, b: EvictionWindow): boolean {
  return a !== b && a.per === b.per && a.windowMs >= b.windowMs && isNoMore(a.max, b.max);
}

function isNoMore(a: EvictionWindow['max'], b: EvictionWindow['max']): boolean {
  if ('pods' in a && 'pods' in b) return a.pods <= b.pods;
  return 'percent' in a && 'percent' in b && a.percent <= b.percent;
}

function textOf({ per, max, windowMs }: EvictionWindow): string {
  return `${formatIntOrPercent(max)} per ${per} in ${spanText(windowMs)}`;
}
