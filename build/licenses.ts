import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of which code is in the bundle. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  /** As package.json says it: an SPDX expression. */
  readonly license: string;
  /** The texts of its licence and notices. */
  readonly texts: readonly string[];
}

/** What is read of esbuild's metafile (https://esbuild.github.io/api/#metafile). */
interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: object }>>;
}

/**
 * The packages of which code is in the bundle, by name and version; `root` is the folder that it was built in. Throws where one
 * comes without a licence file.
 */
export function bundledPackages(metafile: string, root = '.'): readonly Bundled[] {
  const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile;
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []));
  const packages = new Map(
    [...folders]
      .map((folder) => bundledFrom(join(root, folder)))
      .map((found) => [`${found.name} ${found.version}`, found]),
  );
  return [...packages.keys()].sort().flatMap((key) => packages.get(key) ?? []);
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u;
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/iu;

function bundledFrom(folder: string): Bundled {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Bundled;
  const files = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort();
  if (files.length === 0)
    throw new Error(`${name} ${version} has no licence file; it can't be passed on in the bundle`);
  return { name, version, license, texts: files.map((file) => readFileSync(join(folder, file), 'utf8').trim()) };
}

/** The text of dist/THIRD-PARTY-LICENSES: each package with the whole text of its licence. */
function licensesText(packages: readonly Bundled[]): string {
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${name} ${version} (${license})`, ...texts].join('\n\n'),
  );
  return [`evenkeel contains code of ${packages.length} packages, under these licences.`, ...parts].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  );
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync('dist/THIRD-PARTY-LICENSES', `${licensesText(bundledPackages('dist/evenkeel.meta.json'))}\n`);
}
