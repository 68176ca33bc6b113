import { setMaxListeners } from 'node:events';
import { finished } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiServer } from '../../src/kube/http/api-server.ts';
import type { Wrapper } from '../../src/kube/http/call.ts';
import type { Cancel } from '../../src/lib/clock.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { connectBy, Folder, kubeconfig, play, type Script } from './conversation.ts';

const START = Date.parse('2026-01-15T09:00:00Z');
const SET_EVERY_MS = 10_000;
/** An answer that has not come by then does not come at all. */
const MOST_TURNS = 200;

/** A virtual clock that tells when something is due next. */
class SteppingClock extends VirtualClock {
  readonly #due = new Map<symbol, number>();

  get next(): number {
    return Math.min(...this.#due.values(), Infinity);
  }

  override schedule(at: number, run: () => void): Cancel {
    const key = Symbol();
    this.#due.set(key, at);
    const cancel = super.schedule(at, () => {
      this.#due.delete(key);
      run();
    });
    return () => {
      this.#due.delete(key);
      cancel();
    };
  }
}

/** What talks to a server, on a clock that is moved for it. */
export interface Talker {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  /** Ends the talk. */
  readonly signal: AbortSignal;
}

/** How the time goes. */
export interface Passing {
  readonly minutes?: number;
  /** The wall clock is set by so many ms every ten seconds, forwards and backwards in turn. */
  readonly stepMs?: number;
}

/** Lets something talk to a server that plays a script, in virtual minutes; answers with the seconds in which each request came. */
export async function inVirtualMinutes(
  script: Script,
  talk: (talker: Talker) => Promise<unknown>,
  { minutes = 1, stepMs = 0 }: Passing = {},
): Promise<readonly number[]> {
  const [folder, server, clock] = [new Folder(), await play(script), new SteppingClock(START)];
  const [stop, end] = [new AbortController(), START + minutes * 60_000];
  setMaxListeners(0, stop.signal);
  const traffic = { open: 0, asked: [] as number[] };
  const file = folder.write('config', kubeconfig(server.url));
  const api = connectBy(file, { clock, wrappers: [counting(traffic, clock)], timeoutMs: 30_000 });
  const talking = talk({ server: api, clock, signal: stop.signal });
  let setAt = START + SET_EVERY_MS;
  for (let sign = 1; clock.now() < end;) {
    for (let turns = 0; traffic.open > 0 && turns < MOST_TURNS; turns++) await nextTurn();
    await clock.advanceTo(Math.min(Math.max(clock.next, clock.now()), setAt, end));
    if (clock.now() < setAt) continue;
    clock.step(sign * stepMs);
    [sign, setAt] = [sign === 1 ? -2 : sign === -2 ? 2 : -2, setAt + SET_EVERY_MS];
  }
  stop.abort();
  server.close();
  api.close();
  await clock.advanceTo(end + 600_000);
  await talking;
  folder.remove();
  return traffic.asked;
}

/** Counts calls that are under way, until their answers have come to an end. */
function counting(traffic: { open: number; readonly asked: number[] }, clock: VirtualClock): Wrapper {
  return (call) => async (request) => {
    traffic.asked.push((clock.now() - START) / 1000);
    traffic.open++;
    const answer = await call(request);
    if (answer.ok) finished(answer.value, () => traffic.open--);
    else traffic.open--;
    return answer;
  };
}
