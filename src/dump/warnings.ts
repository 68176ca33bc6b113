import type { ClusterContents } from '../cluster/snapshot.ts';
import { parseTime } from '../cluster/decode/decode-time.ts';
import type { Loader } from './loader.ts';

/** What a reader of the plan should know about the dump, most important first. */
export function warningsOf(
  contents: ClusterContents,
  { loader, otherFiles }: { readonly loader: Loader; readonly otherFiles: number },
): readonly string[] {
  return [
    ...missingKinds(loader),
    ...podsWithoutNode(contents),
    ...loader.unreadable.warnings(),
    ...unreadableTime(loader),
    ...nothings(loader),
    ...guessedKinds(loader),
    ...ignoredKinds(loader),
    ...(otherFiles > 0
      ? [`${count(otherFiles, 'file')} in the given folders ${are(otherFiles)} no dump and ignored`]
      : []),
  ];
}

function missingKinds({ collection }: Loader): readonly string[] {
  const missing = (['Node', 'Pod'] as const).filter((kind) => !collection.knows(kind));
  return missing.map((kind) => `the dump has no ${kind} objects at all`);
}

function podsWithoutNode({ nodes, pods }: ClusterContents): readonly string[] {
  const known = new Set(nodes.map((node) => node.name));
  const homeless = pods.filter((pod) => pod.nodeName !== '' && !known.has(pod.nodeName));
  if (homeless.length === 0) return [];
  const missing = new Set(homeless.map((pod) => pod.nodeName)).size;
  return [
    `${count(homeless.length, 'pod')} ${are(homeless.length)} on ${count(missing, 'node')} that ${are(missing)} not in the dump, and not part of placement`,
  ];
}

function unreadableTime({ dumpedAt }: Loader): readonly string[] {
  if (dumpedAt === undefined || parseTime(dumpedAt) !== undefined) return [];
  return [`the dump's own time '${dumpedAt}' is not in RFC 3339 and not used`];
}

function nothings({ collection: { nothings: number } }: Loader): readonly string[] {
  if (number === 0) return [];
  const what =
    number === 1 ? '1 entry of a list is null or no object' : `${number} entries of lists are null or no objects`;
  return [`${what}, and ignored`];
}

function guessedKinds({ guessedFiles }: Loader): readonly string[] {
  if (guessedFiles === 0) return [];
  return [
    `objects in ${count(guessedFiles, 'file')} say no kind; it was taken from the file's name or the object's shape`,
  ];
}

function ignoredKinds({ collection }: Loader): readonly string[] {
  const kinds = Object.entries(collection.ignored);
  const total = kinds.reduce((sum, [, number]) => sum + number, 0);
  const list = kinds.map(([kind, number]) => `${number} ${kind}`).join(', ');
  return total === 0 ? [] : [`${count(total, 'object')} of kinds that are not read ${are(total)} ignored: ${list}`];
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

function are(number: number): string {
  return number === 1 ? 'is' : 'are';
}
