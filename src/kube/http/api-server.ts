import type { Clock } from '../../lib/clock.ts';
import { authenticated } from '../auth/authentication.ts';
import type { Call, Wrapper } from './call.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import { exchanging } from './exchange.ts';
import { Session, type SessionOptions } from '../session.ts';

/** The way to one API server, over one keep-alive agent. */
export interface ApiServer {
  readonly call: Call;
  /** Its address, for messages. */
  readonly address: () => string;
  /** Closes all connections. */
  readonly close: () => void;
}

/** What it is made with. */
export interface ApiServerOptions extends Pick<SessionOptions, 'onCredentials'> {
  readonly clock: Clock;
  readonly userAgent: string;
  /** What each request goes through before it is sent, the innermost first. */
  readonly wrappers?: readonly Wrapper[];
  /** For a request that names no time of its own. */
  readonly timeoutMs?: number;
  /** Sockets at the same time. */
  readonly maxSockets?: number;
}

const TIMEOUT_MS = 30_000;
/** Beyond the evictions in flight: a Lease and a history must not wait for a socket where the server is slow. */
const MAX_SOCKETS = 200;

/** The API server that these credentials are for; nothing is sent yet. */
export function createApiServer(source: CredentialSource, options: ApiServerOptions): ApiServer {
  const { clock, userAgent, timeoutMs = TIMEOUT_MS, maxSockets = MAX_SOCKETS, wrappers = [], onCredentials } = options;
  const session = new Session(source, { clock, maxSockets, onCredentials });
  const call = authenticated(session)(exchanging({ clock, userAgent, timeoutMs }));
  return {
    call: wrappers.reduce((inner, wrap) => wrap(inner), call),
    address: () => source.address,
    close: () => session.close(),
  };
}
