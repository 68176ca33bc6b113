import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { InvalidArgumentError, type Command } from 'commander';
import type { CertificateFiles, SniCertificate, TlsSettings } from '../telemetry/server.ts';
import { parsePath } from './values.ts';

/** The flags of the Go descheduler about what is served over TLS. */
export interface TlsFlags {
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly certDir?: string;
  readonly tlsMinVersion?: SecureVersion;
  /** As OpenSSL names them, with colons between. */
  readonly tlsCipherSuites?: string;
  readonly tlsCurvePreferences?: string;
  readonly tlsSniCertKey?: readonly SniCertificate[];
}

/** Adds them. */
export function addTlsFlags(command: Command): void {
  command
    .option('--tls-cert-file <file>', 'PEM; without it a certificate is generated', parsePath)
    .option('--tls-private-key-file <file>', 'PEM, of the certificate', parsePath)
    .option(
      '--cert-dir <folder>',
      'where tls.crt and tls.key, or apiserver.crt and apiserver.key, are looked for',
      parsePath,
    )
    .option('--tls-sni-cert-key <pair>', 'CERT,KEY[:NAMES] for other host names; may be repeated', collectPair)
    .option('--tls-min-version <version>', 'VersionTLS12 by default; VersionTLS13', parseVersion)
    .option('--tls-cipher-suites <names>', 'of TLS 1.2, with commas, as Go names them', parseCiphers)
    .option(
      '--tls-curve-preferences <curves>',
      'names or numbers of Go, with commas, such as X25519,CurveP256',
      parseCurves,
    );
}

/** The certificate that the flags name: two files, or a pair in the folder. Undefined: one is to be generated. */
export function certificateOf({ tlsCertFile, tlsPrivateKeyFile, certDir }: TlsFlags): CertificateFiles | undefined {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined)
    return { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile };
  if (certDir === undefined) return undefined;
  return ['tls', 'apiserver']
    .map((name) => ({ certFile: join(certDir, `${name}.crt`), keyFile: join(certDir, `${name}.key`) }))
    .find(({ certFile, keyFile }) => existsSync(certFile) && existsSync(keyFile));
}

/** The rest of what is asked of TLS. */
export function tlsSettings(flags: TlsFlags): TlsSettings {
  const { tlsMinVersion, tlsCipherSuites, tlsCurvePreferences, tlsSniCertKey } = flags;
  return {
    ...(tlsMinVersion && { minVersion: tlsMinVersion }),
    ...(tlsCipherSuites !== undefined && { ciphers: tlsCipherSuites }),
    ...(tlsCurvePreferences !== undefined && { ecdhCurve: tlsCurvePreferences }),
    sni: tlsSniCertKey ?? [],
  };
}

const VERSIONS: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

function parseVersion(text: string): SecureVersion {
  const version = VERSIONS[text];
  if (!version) throw new InvalidArgumentError(`It takes one of ${Object.keys(VERSIONS).join(', ')}.`);
  return version;
}

/** The suites of TLS 1.2 that Go and OpenSSL both have, by Go's names (https://pkg.go.dev/crypto/tls#pkg-constants). */
const CIPHERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['ECDSA', 'RSA'].flatMap((key) => [
      [`TLS_ECDHE_${key}_WITH_AES_128_GCM_SHA256`, `ECDHE-${key}-AES128-GCM-SHA256`],
      [`TLS_ECDHE_${key}_WITH_AES_256_GCM_SHA384`, `ECDHE-${key}-AES256-GCM-SHA384`],
      [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305_SHA256`, `ECDHE-${key}-CHACHA20-POLY1305`],
      [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305`, `ECDHE-${key}-CHACHA20-POLY1305`],
      [`TLS_ECDHE_${key}_WITH_AES_128_CBC_SHA256`, `ECDHE-${key}-AES128-SHA256`],
      [`TLS_ECDHE_${key}_WITH_AES_128_CBC_SHA`, `ECDHE-${key}-AES128-SHA`],
      [`TLS_ECDHE_${key}_WITH_AES_256_CBC_SHA`, `ECDHE-${key}-AES256-SHA`],
    ]),
  ),
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
};

/** TLS 1.3 chooses its suites by itself, as in Go; OpenSSL wants them named beside the others. */
const TLS13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

function parseCiphers(text: string): string {
  const chosen = split(text).map((name) => {
    const cipher = CIPHERS[name];
    if (cipher === undefined) throw new InvalidArgumentError(`${name} is not a suite that can be had here.`);
    return cipher;
  });
  return [...new Set([...TLS13, ...chosen])].join(':');
}

/** Go's CurveIDs, by number and by name (https://pkg.go.dev/crypto/tls#CurveID). */
const CURVES: Readonly<Record<string, string>> = {
  ...{ '23': 'P-256', CurveP256: 'P-256', '24': 'P-384', CurveP384: 'P-384', '25': 'P-521', CurveP521: 'P-521' },
  ...{ '29': 'X25519', X25519: 'X25519' },
};

function parseCurves(text: string): string {
  return split(text)
    .map((name) => CURVES[name] ?? fail(`${name} is not a curve that can be had here; there are ${curveNames()}.`))
    .join(':');
}

function curveNames(): string {
  return Object.keys(CURVES)
    .filter((name) => /^\D/u.test(name))
    .join(', ');
}

/** `CERT,KEY` or `CERT,KEY:NAME,NAME`; without names those of the certificate. */
function collectPair(text: string, earlier: readonly SniCertificate[] = []): readonly SniCertificate[] {
  const [, certFile, keyFile, names] = /^([^,:]+),([^,:]+)(?::(.+))?$/u.exec(text) ?? [];
  if (certFile === undefined || keyFile === undefined)
    throw new InvalidArgumentError('It takes CERT,KEY or CERT,KEY:NAMES.');
  return [...earlier, { certFile, keyFile, names: names === undefined ? [] : split(names) }];
}

function split(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function fail(message: string): never {
  throw new InvalidArgumentError(message);
}
