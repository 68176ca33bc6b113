import type { Node } from '../cluster/objects/node.ts';
import { compareText } from '../cluster/snapshot.ts';
import type { Clock } from '../lib/clock.ts';
import { zoneOf } from '../node-lifecycle/zones.ts';
import type { ZoneTimeSeries, ZoneSample } from '../outcomes/outage-report.ts';

interface Counts {
  ready: number;
  notReady: number;
  tainted: number;
  podsDeleted: number;
}

interface Series {
  readonly counts: Counts;
  readonly samples: ZoneSample[];
}

/** Follows how many nodes of each zone are ready and tainted, and how many pods have gone, for a plot. */
export class TimeSeries {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #zones = new Map<string, Series>();
  readonly #tainted = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** Names of the nodes that had a NoExecute taint put on. */
  get nodesTainted(): number {
    return this.#tainted.size;
  }

  /** Takes a change of a node; a node that is there from the start has no `before`. */
  onNode(before: Node | undefined, after: Node | undefined, isStart = false): void {
    if (before) this.#count(before, -1);
    if (after) this.#count(after, 1);
    const name = after?.name ?? '';
    if (!isStart && after && taintKeys(after).some((key) => !before || !taintKeys(before).includes(key))) {
      this.#tainted.add(name);
    }
  }

  /** A pod of a node has been deleted by the controllers. */
  onPodDeleted(node: Node | undefined): void {
    if (!node) return;
    const series = this.#seriesOf(node);
    series.counts.podsDeleted++;
    this.#sample(series);
  }

  /** The series of every zone that had a node. */
  series(): readonly ZoneTimeSeries[] {
    return [...this.#zones]
      .sort(([a], [b]) => compareText(a, b))
      .map(([zone, { samples }]) => {
        const most = Math.max(...samples.map(({ ready, notReady }) => ready + notReady));
        return { zone, nodes: most, samples };
      });
  }

  #count(node: Node, by: 1 | -1): void {
    const series = this.#seriesOf(node);
    if (node.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) series.counts.ready += by;
    else series.counts.notReady += by;
    if (taintKeys(node).length > 0) series.counts.tainted += by;
    this.#sample(series);
  }

  #seriesOf(node: Node): Series {
    const zone = zoneOf(node.labels);
    const known = this.#zones.get(zone);
    if (known) return known;
    const series: Series = { counts: { ready: 0, notReady: 0, tainted: 0, podsDeleted: 0 }, samples: [] };
    this.#zones.set(zone, series);
    return series;
  }

  /** One sample a moment: the last counts of it stand. */
  #sample({ counts, samples }: Series): void {
    const sample: ZoneSample = { atMs: this.#clock.now() - this.#startedAt, ...counts };
    if (samples.at(-1)?.atMs === sample.atMs) samples.pop();
    const last = samples.at(-1);
    const isSame =
      last?.ready === sample.ready &&
      last.notReady === sample.notReady &&
      last.tainted === sample.tainted &&
      last.podsDeleted === sample.podsDeleted;
    if (!isSame) samples.push(sample);
  }
}

function taintKeys({ taints }: Node): readonly string[] {
  return taints.filter(({ effect }) => effect === 'NoExecute').map(({ key }) => key);
}
