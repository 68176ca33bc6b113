import { formatDuration } from '../lib/duration.ts';
import type { ZoneTimeSeries, ZoneSample } from '../outcomes/outage-report.ts';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** A zone over time: one line for its ready nodes, one for the pods it has lost, each `width` columns wide. */
export interface ZonePlot {
  readonly zone: string;
  readonly nodes: number;
  /** Full where all nodes are ready, `·` where none is. */
  readonly ready: string;
  /** Rises with the pods deleted so far, in shares of all that this zone loses; `·` for none. */
  readonly deleted: string;
  readonly podsDeleted: number;
}

/** Plots each zone; a column shows the state at its end. */
export function zonePlots(zones: readonly ZoneTimeSeries[], durationMs: number, width: number): readonly ZonePlot[] {
  return zones.map(({ zone, nodes, samples }) => {
    const columns = Array.from({ length: width }, (_, i) => sampleAt(samples, (durationMs * (i + 1)) / width));
    const total = samples.at(-1)?.podsDeleted ?? 0;
    return {
      zone: zone === '' ? '(no zone)' : zone,
      nodes,
      ready: columns.map(({ ready, notReady }) => bar(ready, ready + notReady)).join(''),
      deleted: columns.map(({ podsDeleted }) => bar(podsDeleted, total)).join(''),
      podsDeleted: total,
    };
  });
}

/** The axis below the plots: the start at the left, the end at the right. */
export function timeAxis(durationMs: number, width: number): string {
  const end = formatDuration(durationMs);
  return `0s${end.padStart(width - 2)}`;
}

function sampleAt(samples: readonly ZoneSample[], atMs: number): ZoneSample {
  const sample = samples.findLast((it) => it.atMs <= atMs) ?? samples[0];
  return sample ?? { atMs: 0, ready: 0, notReady: 0, tainted: 0, podsDeleted: 0 };
}

function bar(part: number, whole: number): string {
  if (part <= 0 || whole <= 0) return '·';
  return BARS[Math.min(BARS.length - 1, Math.ceil((part / whole) * BARS.length) - 1)] ?? '·';
}
