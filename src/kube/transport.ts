import type { IncomingMessage } from 'node:http';
import { readAll } from './body.ts';
import type { CredentialSource } from './credentials.ts';
import { type ApiCall, exchange } from './exchange.ts';
import { type Answer, NOT_SENT } from './failure.ts';
import { Session } from './session.ts';

/** Speaks to one API server over one keep-alive agent. */
export interface Transport {
  /** The whole answer as bytes. Failures are data; rejects with ConnectError only when credentials cannot be had. */
  send(call: ApiCall): Promise<Answer<Buffer>>;
  /** A running answer, for watches; the caller reads and destroys it. */
  stream(call: ApiCall): Promise<Answer<IncomingMessage>>;
  /** The server's address, for messages. */
  readonly server: () => string;
  /** Closes all connections. */
  close(): void;
}

/** What a transport needs. */
export interface TransportOptions {
  readonly userAgent: string;
  /** For a call that names no time of its own. */
  readonly timeoutMs?: number;
  /** Sockets at the same time. */
  readonly maxSockets?: number;
}

const TIMEOUT_MS = 30_000;
const MAX_SOCKETS = 100;

/** A transport over `node:https`; every request carries our agent, so connections are kept and reused. */
export function createTransport(source: CredentialSource, options: TransportOptions): Transport {
  const session = new Session(source, options.maxSockets ?? MAX_SOCKETS);
  const timeoutOf = (call: ApiCall) => call.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS;
  const open = async (call: ApiCall): Promise<Answer<IncomingMessage>> => {
    const settings = { timeoutMs: timeoutOf(call), userAgent: options.userAgent };
    const access = await session.current();
    if (call.unlessAborted?.aborted) return { ok: false, failure: NOT_SENT };
    const answer = await exchange(call, { ...settings, access });
    if (answer.ok || answer.failure.kind !== 'unauthorized' || isGivenUp(call)) return answer;
    await session.renew(access);
    return exchange(call, { ...settings, access: await session.current() });
  };
  return {
    stream: open,
    async send(call) {
      const deadline = Date.now() + timeoutOf(call);
      const answer = await open(call);
      return answer.ok ? readAll(answer.value, { deadline, signal: call.signal }) : answer;
    },
    server: () => session.server,
    close: () => session.close(),
  };
}

function isGivenUp({ signal, unlessAborted }: ApiCall): boolean {
  return (signal?.aborted ?? false) || (unlessAborted?.aborted ?? false);
}
