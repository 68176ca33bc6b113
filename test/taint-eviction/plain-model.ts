/**
 * When pods go, written down from the rules and nothing else: docs/lifecycle.md, "When a pod goes". All times in whole seconds
 * of the true time; what somebody writes is in the time of that writer's clock. Knows one node and shares nothing with `src`.
 */

/** A NoExecute taint as the API has it; `timeAdded` undefined where nobody has said. */
export interface ModelTaint {
  readonly key: string;
  readonly timeAdded: number | undefined;
}

/** A toleration for that key, or for every key where it is empty. Undefined seconds: forever. */
export interface ModelToleration {
  readonly key: string;
  readonly seconds: number | undefined;
}

/** What the controller remembers of a taint. */
interface KnownTaint {
  readonly key: string;
  readonly timeAdded: number | undefined;
  readonly since: number;
  readonly seen: number;
}

/** What it remembers of a pod on the node while that is tainted. */
interface KnownPod {
  readonly seen: number;
  readonly witnessed: boolean;
  readonly boundText: number;
  readonly bound: number;
}

export interface ModelPod {
  readonly id: string;
  tolerations: readonly ModelToleration[];
  /** When it was bound, as the API has it. */
  boundText: number;
}

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const OTHER: Readonly<Record<string, string>> = { [NOT_READY]: UNREACHABLE, [UNREACHABLE]: NOT_READY };

/** A watch tells within this time. */
const TOLD_WITHIN = 2;

export class PlainModel {
  /** `second id`, in the order in which they went. */
  readonly gone: string[] = [];
  /** The node's taints as the API has them. */
  taints: readonly ModelTaint[] = [];
  readonly pods: ModelPod[] = [];
  #now = 0;
  /** How far the controller's clock is ahead of the true time. */
  #ahead = 0;
  #isRunning = true;
  #lastLook: number | undefined;
  #known: readonly KnownTaint[] = [];
  #knownPods = new Map<string, KnownPod>();

  /** Lets time pass; who is due goes. */
  passTo(until: number): void {
    if (this.#isRunning) {
      for (const pod of [...this.pods]) {
        const due = Math.max(this.#deadline(pod), this.#now);
        if (due <= until) this.#go(pod, due);
      }
    }
    this.#now = until;
  }

  /** The controller's clock is set. */
  step(seconds: number): void {
    this.#ahead += seconds;
  }

  stop(): void {
    this.#isRunning = false;
    this.#forget();
  }

  start(): void {
    this.#isRunning = true;
    this.nodeEvent();
  }

  /** The node is another one of the same name, with these taints. */
  replaceNode(taints: readonly ModelTaint[]): void {
    this.taints = taints;
    this.#forget();
    this.nodeEvent();
  }

  /** The controller is told of the node as it is. */
  nodeEvent(): void {
    if (!this.#isRunning) return;
    const before = this.#known;
    const isKnown = ({ key, timeAdded }: ModelTaint) =>
      before.some((it) => it.key === key && it.timeAdded === timeAdded);
    const seen = this.taints.map((taint) => this.#observe(taint, before));
    this.#known = seen.map((taint) => {
      const other = OTHER[taint.key];
      if (other === undefined || isKnown(taint)) return taint;
      const wasThere = before.some(({ key }) => key === taint.key);
      const exchanged = [...seen, ...(wasThere ? [] : before)].filter(({ key }) => key === other);
      return exchanged.reduce(
        (a, b) => (b.since < a.since ? { ...a, since: b.since, seen: Math.min(a.seen, b.seen) } : a),
        taint,
      );
    });
    this.#lastLook = this.#now;
    this.#stamp();
    if (this.#known.length === 0) this.#knownPods.clear();
    else for (const pod of this.pods) this.#lookAt(pod, false);
    this.passTo(this.#now);
  }

  /** The controller is told of a pod; `isNew`: it has just come to the node. */
  podEvent(pod: ModelPod, isNew: boolean): void {
    if (!this.#isRunning || this.#known.length === 0) return;
    this.#lookAt(pod, isNew);
    this.passTo(this.#now);
  }

  removePod(id: string): void {
    const index = this.pods.findIndex((pod) => pod.id === id);
    if (index >= 0) this.pods.splice(index, 1);
    this.#knownPods.delete(id);
  }

  #forget(): void {
    this.#lastLook = undefined;
    this.#known = [];
    this.#knownPods.clear();
  }

  /** What a clock has written, in the true time, as the controller's own clock has it now. */
  #trueTime(written: number): number {
    return written - this.#ahead;
  }

  #observe({ key, timeAdded }: ModelTaint, before: readonly KnownTaint[]): KnownTaint {
    const known = before.find((it) => it.key === key && it.timeAdded === timeAdded);
    if (known) return known;
    const seen = this.#now;
    const said = timeAdded === undefined ? undefined : this.#trueTime(timeAdded);
    if (said === undefined) return { key, timeAdded, since: seen, seen };
    const isWrong = this.#lastLook !== undefined && (said < this.#lastLook || said < seen - TOLD_WITHIN);
    return { key, timeAdded, since: isWrong ? seen : Math.min(said, seen), seen };
  }

  /** Who has no time is given that from which it counts. */
  #stamp(): void {
    this.#known = this.#known.map((known) =>
      known.timeAdded === undefined ? { ...known, timeAdded: known.since + this.#ahead } : known,
    );
    this.taints = this.taints.map((taint) => {
      const known = this.#known.find(({ key }) => key === taint.key);
      return taint.timeAdded === undefined ? { key: taint.key, timeAdded: known?.timeAdded } : taint;
    });
  }

  #lookAt(pod: ModelPod, isNew: boolean): void {
    const known = this.#knownPods.get(pod.id);
    if (known?.boundText === pod.boundText) return;
    const seen = known?.seen ?? this.#now;
    const witnessed = known?.witnessed ?? isNew;
    const said = this.#trueTime(pod.boundText);
    const bound = witnessed && said < seen - TOLD_WITHIN ? seen : said;
    this.#knownPods.set(pod.id, { seen, witnessed, boundText: pod.boundText, bound });
  }

  /** The earliest end over all taints; a pod that tolerates all of them forever stays. */
  #deadline(pod: ModelPod): number {
    const known = this.#knownPods.get(pod.id);
    if (!known) return Infinity;
    const ends = this.#known.map((taint) => {
      const start = Math.min(Math.max(taint.since, known.bound), Math.max(taint.seen, known.seen));
      const match = pod.tolerations.find(({ key }) => key === '' || key === taint.key);
      if (!match) return start;
      return match.seconds === undefined ? Infinity : start + Math.max(0, match.seconds);
    });
    return Math.min(Infinity, ...ends);
  }

  #go(pod: ModelPod, at: number): void {
    this.gone.push(`${at} ${pod.id}`);
    this.removePod(pod.id);
  }
}
