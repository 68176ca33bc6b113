import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenIDConnectAuth } from '@kubernetes/client-node/dist/oidc_auth.js';

/** Inner files of client-node that its package does not promise: an upgrade that moves one must be noticed. */
const PRIVATE = ['@kubernetes/client-node/dist/config_types.js', '@kubernetes/client-node/dist/oidc_auth.js'];

describe('private files of client-node', () => {
  it('are these and no others', () => {
    const src = join(import.meta.dirname, '..', '..', 'src');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const found = files.flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/'(@kubernetes\/client-node\/[^']+)'/gu)].map(
        ([, name]) => name,
      ),
    );
    assert.deepEqual([...new Set(found)].sort(), PRIVATE);
  });

  it('are there', async () => {
    for (const name of PRIVATE) assert.ok(await import(name), name);
  });

  it('renew tokens as we ask them to', () => {
    const auth = new OpenIDConnectAuth();
    assert.equal(typeof auth.applyAuthentication, 'function');
    assert.equal(auth.isAuthProvider({ name: 'me', authProvider: { name: 'oidc', config: {} } }), true);
  });
});
