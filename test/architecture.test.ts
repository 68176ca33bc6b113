import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

interface Rule {
  /** Folders of src that may be imported, besides the folder itself. */
  readonly folders: readonly string[];
  readonly packages: readonly string[];
}

/** Who may import whom (docs/architecture.md, section 3): one row a folder. */
const RULES: Readonly<Record<string, Rule>> = {
  lib: { folders: [], packages: [] },
  findings: { folders: ['lib'], packages: ['fastest-levenshtein', 'string-width', 'yaml'] },
  cluster: { folders: ['lib'], packages: ['@kubernetes/client-node'] },
  placement: { folders: ['cluster', 'lib'], packages: [] },
  strategies: { folders: ['cluster', 'placement', 'lib'], packages: ['zod'] },
  outcomes: { folders: ['cluster', 'lib'], packages: [] },
  evictor: { folders: ['cluster', 'placement', 'outcomes', 'lib'], packages: ['zod'] },
  policy: { folders: ['strategies', 'evictor', 'findings', 'cluster', 'lib'], packages: ['yaml', 'zod'] },
  'node-lifecycle': { folders: ['cluster', 'outcomes', 'lib'], packages: [] },
  'taint-eviction': { folders: ['cluster', 'outcomes', 'lib'], packages: [] },
  explain: {
    folders: ['strategies', 'evictor', 'placement', 'policy', 'cluster', 'taint-eviction', 'outcomes', 'lib'],
    packages: [],
  },
  descheduler: {
    folders: ['strategies', 'evictor', 'policy', 'outcomes', 'placement', 'cluster', 'lib'],
    packages: ['node-cron'],
  },
  dump: { folders: ['cluster', 'findings', 'outcomes', 'lib', 'descheduler', 'evictor'], packages: ['yaml', 'zod'] },
  demo: { folders: ['cluster', 'findings', 'outcomes', 'lib', 'descheduler', 'evictor'], packages: [] },
  outage: {
    folders: ['cluster', 'findings', 'outcomes', 'lib', 'evictor', 'taint-eviction', 'node-lifecycle'],
    packages: ['yaml', 'zod'],
  },
  kube: {
    folders: ['cluster', 'findings', 'outcomes', 'lib', 'descheduler', 'evictor', 'taint-eviction', 'node-lifecycle'],
    packages: ['@kubernetes/client-node', 'hpagent', 'proxy-from-env', 'socks-proxy-agent'],
  },
  telemetry: { folders: ['outcomes', 'cluster', 'lib'], packages: ['winston', 'prom-client', 'selfsigned'] },
  report: {
    folders: ['findings', 'outcomes', 'cluster', 'lib'],
    packages: ['cli-table3', 'picocolors', 'string-width', 'wrap-ansi', 'd3-scale', 'd3-shape'],
  },
};

/**
 * What the rooms of a folder may import of one another, a room or a single file; besides that the files at the folder's top, and
 * these may import every room. A folder with rooms names all of them.
 */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  cluster: {
    objects: ['amounts'],
    amounts: ['objects'],
    rules: ['objects', 'amounts'],
    decode: ['objects', 'amounts'],
    bytes: ['decode', 'amounts'],
  },
  placement: {
    counts: ['filters'],
    filters: ['counts', 'volumes'],
    volumes: ['counts', 'filters'],
    scores: ['counts', 'filters/resources.ts'],
  },
  strategies: {
    'anti-affinity': [],
    'node-utilization': [],
    'pod-life-time': [],
    'remove-duplicates': [],
    'topology-spread': ['remove-duplicates/replica-places.ts'],
  },
  evictor: { constraints: [], limits: ['constraints/replicas.ts'] },
  policy: { checks: [], v1alpha1: ['checks'] },
  kube: { http: ['auth'], auth: ['http'], watch: ['http'], write: ['http'] },
  cli: {
    files: [],
    watch: [],
    policy: ['files'],
    controllers: ['watch'],
    run: ['files', 'watch', 'policy', 'controllers'],
    lifecycle: ['watch', 'controllers'],
    outage: ['files', 'controllers'],
    dump: ['files'],
    demo: ['files', 'policy', 'run'],
    explain: ['files', 'policy', 'run'],
  },
};

/** More files than this nobody takes in at a glance. */
const WIDEST_FOLDER = 18;

/** `cli` and `main.ts` may import everything of ours, and these. */
const OUTERMOST = new Set(['commander', 'picocolors', 'ora', 'winston']);

/** Folders whose every file is pure, but for the exceptions. */
const PURE = [
  'findings',
  'cluster',
  'placement',
  'strategies',
  'outcomes',
  'evictor',
  'policy',
  'node-lifecycle',
  'taint-eviction',
  'explain',
  'report',
];
/** The effects of the pure folders: what carries out, and the controllers with what they write. */
const IMPURE =
  /^(?:evictor\/carry-out|cluster\/store|(?:node-lifecycle|taint-eviction)\/(?:controller|carry-out|live-check|write-\w+|mark-\w+))\.ts$/u;
const PURE_FILES = new Set(['descheduler/profile.ts']);

const IMPURITIES =
  /\b(?:async|await|Promise|process|console|setTimeout|setInterval|setImmediate|queueMicrotask|fetch)\b|['"]node:|\bDate\.now\b|\bperformance\b|new Date\(\s*\)|\bMath\.random\b/u;

const root = join(import.meta.dirname, '..', 'src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('the architecture', () => {
  it('has a row for every folder', () => {
    const folders = new Set(files.filter((file) => file.includes('/')).map(folderOf));
    assert.deepEqual(
      [...folders].filter((folder) => folder !== 'cli' && !(folder in RULES)),
      [],
    );
  });

  it('lets each folder import only what its row allows, types included', () => {
    assert.deepEqual(files.flatMap(forbiddenImports), []);
  });

  it('lets each room import only what its row allows, types included', () => {
    const rooms = [...new Set(files.map(roomOf).filter((room) => room !== ''))];
    const named = Object.entries(ROOMS).flatMap(([folder, rows]) =>
      Object.keys(rows).map((room) => `${folder}/${room}`),
    );
    assert.deepEqual(rooms.toSorted(), named.toSorted());
    assert.deepEqual(files.flatMap(importsOfOtherRooms), []);
  });

  it('has no folder that is wider than a glance', () => {
    const folders = [...new Set(files.map((file) => dirname(file)))];
    const width = (folder: string) => files.filter((file) => dirname(file) === folder).length;
    assert.deepEqual(
      folders.filter((folder) => width(folder) > WIDEST_FOLDER),
      [],
    );
  });

  it('has no cycles, types included', () => {
    assert.deepEqual(cycles(), []);
  });

  it('keeps pure files free of I/O, clock, randomness and waiting', () => {
    assert.deepEqual(files.filter(isPure).flatMap(impurities), []);
  });

  it('reads arguments, environment and signals in main.ts alone', () => {
    const readers = files.filter((file) => /\bprocess\.(?:argv|env|on|exitCode|exit)\b/u.test(codeOf(file)));
    assert.deepEqual(readers, ['main.ts']);
  });

  it('asks what time it is in lib/clock.ts alone', () => {
    const readers = files.filter((file) => /\bDate\.now\b|new Date\(\s*\)|\bperformance\.now\b/u.test(codeOf(file)));
    assert.deepEqual(readers, ['lib/clock.ts']);
  });

  it('has no barrels and no folders that name no subject', () => {
    const banned = /(?:^|\/)(?:index|types|constants|utils?|common|helpers?)(?:\.ts$|\/)/u;
    assert.deepEqual(
      files.filter((file) => banned.test(file)),
      [],
    );
  });

  it('says what each exported thing is for', () => {
    assert.deepEqual(files.flatMap(undocumented), []);
  });
});

describe('the reading of the architecture', () => {
  for (const text of ['await x', 'new Date()', "import 'node:fs'", 'Math.random()', 'process.env', 'Promise.all([])']) {
    it(`finds ${text} impure`, () => {
      assert.match(text, IMPURITIES);
    });
  }

  it('does not take a comment or a text for code', () => {
    assert.doesNotMatch(stripped("const a = 'await x'; // await\n/* process */ const b = `console`;"), IMPURITIES);
  });
});

function forbiddenImports(file: string): readonly string[] {
  const folder = folderOf(file);
  return (imports.get(file) ?? [])
    .filter((target) => !mayImport(folder, target))
    .map((target) => `${file} imports ${target}`);
}

function mayImport(folder: string, target: string): boolean {
  const rule = RULES[folder];
  const isOutermost = rule === undefined;
  if (target.startsWith('node:') || builtinModules.includes(target)) return isOutermost || !PURE.includes(folder);
  if (!target.endsWith('.ts')) return isOutermost ? OUTERMOST.has(target) : rule.packages.includes(packageOf(target));
  const other = folderOf(target);
  return isOutermost || other === folder || rule.folders.includes(other);
}

function importsOfOtherRooms(file: string): readonly string[] {
  const room = roomOf(file);
  const [folder = '', name = ''] = room.split('/');
  const allowed = ROOMS[folder]?.[name] ?? [];
  const isAllowed = (target: string): boolean => {
    const other = roomOf(target);
    if (room === '' || folderOf(target) !== folder || other === '' || other === room) return true;
    return allowed.some((it) => other === `${folder}/${it}` || target === `${folder}/${it}`);
  };
  const targets = (imports.get(file) ?? []).filter((target) => target.endsWith('.ts'));
  return targets.filter((target) => !isAllowed(target)).map((target) => `${file} imports ${target}`);
}

/** The room of a file, as `placement/filters`; empty for one at the top of its folder. */
function roomOf(file: string): string {
  const parts = file.split('/');
  return parts.length > 2 ? parts.slice(0, 2).join('/') : '';
}

/** Files of ours by their path below src; packages and Node.js modules by their name. */
function importsOf(file: string): readonly string[] {
  const source = ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true);
  return source.importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? relative(root, join(root, dirname(file), fileName)) : fileName,
  );
}

function cycles(): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) found.push([...path.slice(at), file].join(' -> '));
    if (at >= 0 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) if (target.endsWith('.ts')) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}

function isPure(file: string): boolean {
  return PURE_FILES.has(file) || (PURE.includes(folderOf(file)) && !IMPURE.test(file));
}

function impurities(file: string): readonly string[] {
  const lines = codeOf(file).split('\n');
  return lines.filter((line) => IMPURITIES.test(line)).map((line) => `${file}: ${line.trim()}`);
}

function codeOf(file: string): string {
  return stripped(readFileSync(join(root, file), 'utf8'));
}

/** The text without comments, and without the contents of strings but for those of imports. */
function stripped(text: string): string {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2023, true);
  const chars = text.split('');
  const visit = (node: ts.Node): void => {
    if (isText(node) && !ts.isImportDeclaration(node.parent)) chars.fill(' ', node.getStart(source) + 1, node.end - 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const withoutTexts = ts.createSourceFile('file.ts', chars.join(''), ts.ScriptTarget.ES2023, true);
  return ts.createPrinter({ removeComments: true }).printFile(withoutTexts);
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isRegularExpressionLiteral(node);
}

function undocumented(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.ES2023, true);
  return source.statements.flatMap((statement) => {
    const exported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport);
    if (exported !== true || ts.getJSDocCommentsAndTags(statement).length > 0) return [];
    return [`${file}:${source.getLineAndCharacterOfPosition(statement.getStart()).line + 1}`];
  });
}

function isExport(modifier: ts.Modifier): boolean {
  return modifier.kind === ts.SyntaxKind.ExportKeyword;
}

function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}
