import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages, type Bundled } from '../../build/licenses.ts';

/**
 * The packages of which code is in the bundle, by licence. Whoever adds one has looked at who makes it, what it is needed for, and
 * whether its licence allows to pass it on.
 */
const KNOWN: Readonly<Record<string, string>> = {
  MIT: `
    @colors/colors @dabh/diagnostics @peculiar/asn1-cms @peculiar/asn1-csr @peculiar/asn1-ecc @peculiar/asn1-pfx
    @peculiar/asn1-pkcs8 @peculiar/asn1-pkcs9 @peculiar/asn1-rsa @peculiar/asn1-schema @peculiar/asn1-x509
    @peculiar/asn1-x509-attr @peculiar/utils @peculiar/x509 @so-ric/colorspace agent-base ansi-regex ansi-styles async
    bintrees chalk cli-cursor cli-spinners cli-table3 commander debug emoji-regex enabled fastest-levenshtein fecha fn.name
    get-east-asian-width has-flag hpagent ip-address is-fullwidth-code-point is-interactive is-stream
    is-unicode-supported kuler log-symbols logform mimic-function ms oauth4webapi one-time onetime openid-client ora
    proxy-from-env pvtsutils pvutils readable-stream restore-cursor rfc4648 safe-buffer safe-stable-stringify
    selfsigned smart-buffer socks socks-proxy-agent stack-trace stdin-discarder string-width string_decoder strip-ansi
    supports-color tdigest triple-beam tsyringe util-deprecate winston winston-transport wrap-ansi yoctocolors zod
  `,
  'Apache-2.0': `
    @kubernetes/client-node @opentelemetry/api prom-client reflect-metadata
  `,
  'BSD-3-Clause': `
    asn1js
  `,
  ISC: `
    inherits node-cron picocolors signal-exit yaml
  `,
  '0BSD': `
    tslib
  `,
};

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');

describe('the packages in the bundle', () => {
  let packages: readonly Bundled[] = [];
  before(() => (packages = bundledPackages(join(dist, 'evenkeel.meta.json'), root)));

  it('are these, under these licences; a new one is added here on purpose', () => {
    const known = Object.entries(KNOWN).flatMap(([license, names]) =>
      (names.match(/\S+/gu) ?? []).map((name) => `${name} (${license})`),
    );
    const bundled = packages.map(({ name, license }) => `${name} (${license})`);
    assert.deepEqual([...new Set(bundled)].sort(), known.sort());
  });

  it('come with the licence of each, and the copyright, beside the program', () => {
    const text = readFileSync(join(dist, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const { name, version, license, texts } of packages) {
      assert.ok(text.includes(`\n${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`), name);
      assert.match(texts.join(), /permission|apache license|redistribution/iu, name);
    }
  });
});
