/** The version of the program, equal to the one in package.json (held by a test). */
export const VERSION = '0.1.0';

/** What `evenkeel version` prints. Nothing is imported for it, so that it answers at once. */
export function versionText(nodeVersion: string): string {
  return [
    `evenkeel ${VERSION}`,
    `Node.js ${nodeVersion}`,
    'Kubernetes 1.27 and later (live clusters), any version (dumps)',
    '',
  ].join('\n');
}
