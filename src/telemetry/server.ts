import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import http, { type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../lib/clock.ts';
import type { Metrics } from './metrics.ts';

/** Two PEM files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate for clients that ask for one of these names, or, without any, for one of its own. */
export interface SniCertificate extends CertificateFiles {
  readonly names: readonly string[];
}

/** What else is asked of TLS. */
export interface TlsSettings extends Pick<https.ServerOptions, 'minVersion' | 'ciphers' | 'ecdhCurve'> {
  readonly sni?: readonly SniCertificate[];
}

/** Where and how to serve (rule C16). */
export interface ServeOptions {
  /** An IP address; undefined: all of IPv4 and IPv6, or of IPv4 where the machine has no IPv6. */
  readonly address: string | undefined;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** PEM files; without them a certificate is generated, as the Go descheduler does. */
  readonly tls: CertificateFiles | 'self-signed' | 'plain';
  readonly tlsSettings?: TlsSettings;
  /** Undefined serves no metrics. */
  readonly metrics: Metrics | undefined;
  /** Why the program is not healthy; undefined while it is. */
  readonly unhealthy: () => string | undefined;
  readonly ready?: () => string | undefined;
}

/** A running server. */
export interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

/** A probe and a scrape are small and quick; whoever is slower, or sends more, holds up nothing. */
const LIMITS = {
  ...{ headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 },
  ...{ keepAliveTimeout: 60_000, maxHeaderSize: 16 * 1024 },
};
const MOST_CONNECTIONS = 500;

/** Serves `/healthz`, `/healthz/Descheduler`, `/readyz` and `/metrics`. Rejects if the port cannot be had. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const listener = answer(options);
  const tls = await tlsOf(options.tls);
  const { sni = [], ...settings } = options.tlsSettings ?? {};
  const secure = tls && https.createServer({ ...LIMITS, ...settings, ...tls }, listener);
  if (secure && typeof options.tls === 'object') renewing(secure, options.tls);
  if (secure) for (const pair of sni) addNames(secure, pair);
  const server: Server = secure ?? http.createServer(LIMITS, listener);
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Without an address Node.js listens on :: and takes IPv4, too, or on 0.0.0.0 where there is no IPv6.
    server.listen(options.port, options.address, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function answer({ metrics, unhealthy, ready }: ServeOptions): RequestListener {
  const state = (reason: string | undefined): [number, string] => (reason === undefined ? [200, 'ok'] : [503, reason]);
  return (request, response) => {
    const path = (request.url ?? '/').replace(/[?#].*/, '');
    const give = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type }).end(request.method === 'HEAD' ? undefined : text);
    };
    // Nothing that is served takes a body; one that comes all the same is not read to its end.
    if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined) {
      response.once('finish', () => request.destroy());
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') give(405, 'only GET is served');
    else if (path === '/healthz' || path === '/healthz/Descheduler' || path === '/livez') give(...state(unhealthy()));
    else if (path === '/readyz') give(...state((ready ?? unhealthy)()));
    else if (path === '/metrics' && metrics) void metrics.text().then((text) => give(200, text, metrics.contentType));
    else give(404, 'not found');
  };
}

/** As long as that of the Go descheduler: nobody restarts a long-lived process for its certificate (rule C16). */
const CERTIFICATE_LIFE_MS = 3 * 365 * 24 * 3_600_000;

async function tlsOf(tls: ServeOptions['tls']): Promise<https.ServerOptions | undefined> {
  if (tls === 'plain') return undefined;
  if (tls !== 'self-signed') return { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
  const { generate } = await import('selfsigned');
  const notAfterDate = new Date(systemClock.wall() + CERTIFICATE_LIFE_MS);
  const made = await generate([{ name: 'commonName', value: 'evenkeel' }], { keyType: 'ec', notAfterDate });
  return { cert: made.cert, key: made.private };
}

function addNames(server: https.Server, { certFile, keyFile, names }: SniCertificate): void {
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
  const own = (new X509Certificate(cert).subjectAltName ?? '')
    .split(', ')
    .flatMap((name) => /^DNS:(.+)$/u.exec(name)?.[1] ?? []);
  for (const name of names.length > 0 ? names : own) server.addContext(name, { cert, key });
}

/**
 * Takes certificates that are replaced on disk, as cert-manager and the kubelet do, for the connections that come after. A pair that
 * cannot be used, such as one that is half written, leaves the last one in use.
 */
function renewing(server: https.Server, files: CertificateFiles): void {
  let used = stateOf(files);
  // Before the server's own listener, which begins the handshake.
  server.prependListener('connection', () => {
    const now = stateOf(files);
    if (now === used || now === undefined) return;
    try {
      server.setSecureContext({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) });
      used = now;
    } catch {
      // Looked at again with the next connection.
    }
  });
}

/** Changes when one of the files does; undefined while one is away. */
function stateOf(files: CertificateFiles): string | undefined {
  const [cert, key] = [files.certFile, files.keyFile].map((file) => statSync(file, { throwIfNoEntry: false }));
  return cert && key && [cert, key].map(({ mtimeMs, ino, size }) => `${mtimeMs} ${ino} ${size}`).join();
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
