import { finished } from 'node:stream';
import type { ApiServer } from '../../src/kube/api-server.ts';
import type { Wrapper } from '../../src/kube/call.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { connectBy, Folder, kubeconfig, play, type Script } from './conversation.ts';

const START = Date.parse('2026-01-15T09:00:00Z');
const TICK_MS = 50;

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
  const [folder, server, clock, stop] = [
    new Folder(),
    await play(script),
    new VirtualClock(START),
    new AbortController(),
  ];
  const traffic = { open: 0, asked: [] as number[] };
  const file = folder.write('config', kubeconfig(server.url));
  const api = connectBy(file, { clock, wrappers: [counting(traffic, clock)], timeoutMs: 30_000 });
  const talking = talk({ server: api, clock, signal: stop.signal });
  for (let at = 0; at <= minutes * 60_000; at += TICK_MS) {
    await clock.advanceTo(START + at);
    if (at % 10_000 === 0) clock.step(at % 20_000 === 0 ? stepMs : -2 * stepMs);
    for (let turns = 0; traffic.open > 0 && turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
  stop.abort();
  server.close();
  api.close();
  await clock.advanceTo(START + minutes * 60_000 + 600_000);
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
