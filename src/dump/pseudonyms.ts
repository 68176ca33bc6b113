import type { Shape } from '../cluster/decode/decode-fields.ts';
import { TABLE, type ReadKind } from '../cluster/decode/decode-table.ts';
import { compareText } from '../cluster/snapshot.ts';

type Json = Readonly<Record<string, unknown>>;
type Replace = (text: string) => string;

/** Where a walk over an object is, from its kind on, and what it does with texts that tell of a cluster. */
interface Walk {
  readonly path: string;
  readonly replace: Replace;
}

/**
 * Puts pseudonyms in the place of names, namespaces, label values and whatever else tells of whom a cluster is, so that its dump can
 * be shown to others and still gives the same plan. Object after object is first collected, then redacted.
 *
 * Words between separators are replaced one by one: `web-0` stays a pod of `web`, `data-web-0` its claim and `web:latest` an image
 * without tag. Pseudonyms sort as their words do, since names decide among equals. What every cluster has stays, as `kube-system`.
 */
export class Pseudonyms {
  readonly #words = new Set<string>();
  /** Keys of labels and taints whose values are compared as numbers, and so must stay. */
  readonly #numeric = new Set<string>();
  #codes: ReadonlyMap<string, string> | undefined;
  /** Texts that came before, since most come often. */
  readonly #texts = new Map<string, string>();

  /** Takes the words of an object that `pruneObject` gave. */
  collect(object: Json): void {
    this.#walkObject(object, (text) => {
      if (this.#texts.has(text)) return text;
      this.#texts.set(text, text);
      for (const word of wordsOf(text)) this.#words.add(word);
      return text;
    });
  }

  /** A copy of the object under pseudonyms; all objects must have been collected. */
  redact(object: Json): Json {
    if (!this.#codes) this.#texts.clear();
    const codes = (this.#codes ??= codesOf(this.#words));
    return this.#walkObject(object, (text) => {
      let pseudonym = this.#texts.get(text);
      if (pseudonym === undefined) this.#texts.set(text, (pseudonym = redacted(text, codes)));
      return pseudonym;
    });
  }

  #walkObject(object: Json, replace: Replace): Json {
    const kind = String(object['kind']) as ReadKind;
    return this.#walk(TABLE[kind], object, { path: kind, replace }) as Json;
  }

  #walk(shape: Shape | undefined, json: unknown, walk: Walk): unknown {
    switch (shape?.is) {
      case 'shared':
        return this.#walk(shape.item, json, walk);
      case 'list':
        return (json as readonly unknown[]).map((item) => this.#walk(shape.item, item, walk));
      case 'map':
        return this.#walkMap(shape, json as Json, walk);
      case 'object':
      case 'split':
        return this.#walkFields(shape, json as Json, walk);
      case 'text':
      case 'unique':
        return textOf(String(json), walk);
      case 'number':
        return isOrdinal(walk.path) ? ordinal(Number(json), walk.replace) : json;
      default:
        return json;
    }
  }

  #walkFields(shape: Extract<Shape, { is: 'object' | 'split' }>, json: Json, walk: Walk): Json {
    const { key, operator } = json;
    if ((operator === 'Gt' || operator === 'Lt') && typeof key === 'string') this.#numeric.add(key);
    return mapped(json, ([name, value]) => {
      const stays = (name === 'value' || name === 'values') && typeof key === 'string' && this.#numeric.has(key);
      return [name, stays ? value : this.#walk(fieldOf(shape, name), value, below(walk, name))];
    });
  }

  /** Keys of maps are those of labels, annotations and resources, but for the pods that a budget has let go. */
  #walkMap({ item, only }: Extract<Shape, { is: 'map' }>, json: Json, walk: Walk): Json {
    const hasNames = walk.path.endsWith('.disruptedPods');
    return mapped(json, ([key, value]) => [
      hasNames ? walk.replace(key) : key,
      hasNames || this.#numeric.has(key) ? value : this.#walk(item, value, below(walk, only ? key : '{}')),
    ]);
  }
}

/** Texts that say nothing of whom a cluster is: words of the API, versions, UIDs, keys, and drivers, which rules know by name. */
const PUBLIC: ReadonlySet<string> = new Set([
  ...['apiVersion', 'kind', 'uid', 'resourceVersion', 'key', 'operator', 'topologyKey', 'effect', 'type', 'status'],
  ...['phase', 'reason', 'qosClass', 'protocol', 'restartPolicy', 'action', 'accessModes', 'volumeMode'],
  ...['matchLabelKeys', 'mismatchLabelKeys', 'whenUnsatisfiable', 'nodeAffinityPolicy', 'nodeTaintsPolicy'],
  ...['unhealthyPodEvictionPolicy', 'podReplacementPolicy', 'volumeBindingMode', 'schedulerName', 'declaredFeatures'],
  ...['driver', 'provisioner', 'attacher'],
]);
const PUBLIC_ENDS: readonly string[] = [
  ...['.drivers.name', 'CSIDriver.metadata.name'],
  ...['descheduler.alpha.kubernetes.io/evict', 'kubernetes.io/config.source'].map((key) => `.annotations.${key}`),
  ...['', 'beta.'].map((part) => `.annotations.storageclass.${part}kubernetes.io/is-default-class`),
];

/** Names that rules know. */
const KNOWN: ReadonlySet<string> = new Set([
  'kube-node-lease',
  'system-cluster-critical',
  'system-node-critical',
  '0.0.0.0',
]);

/** Pairs of labels in one annotation. */
const PAIRS = 'annotations.openshift.io/node-selector';

function textOf(text: string, { path, replace }: Walk): string {
  if (KNOWN.has(text) || isPublic(path)) return text;
  return path.endsWith(PAIRS) ? text.replaceAll(/(?<==)[^,]+/gu, replace) : replace(text);
}

function isPublic(path: string): boolean {
  return PUBLIC.has(path.slice(path.lastIndexOf('.') + 1)) || PUBLIC_ENDS.some((end) => path.endsWith(end));
}

const SEPARATORS = /(__|[-./:@])/u;

function wordsOf(text: string): readonly string[] {
  return text.split(SEPARATORS).filter((word, i) => i % 2 === 0 && word !== '');
}

/** Word by word, but for the scheme of an address and the tag that an image has without one. */
function redacted(text: string, codes: ReadonlyMap<string, string>): string {
  const parts = text.split(SEPARATORS);
  return parts
    .map((part, i) => {
      const isScheme = parts.slice(i + 1, i + 4).join('') === '://';
      const isNoTag = part === 'latest' && parts[i - 1] === ':';
      return isScheme || isNoTag ? part : (codes.get(part) ?? part);
    })
    .join('');
}

/** The words of namespaces that every cluster has and policies name. They stay. */
const NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube', 'public', 'system']);

/** What stands before the number of a word that sorts before the given one: ordinals stay numbers, the rest sorts among the words that stay. */
const LEADS: readonly (readonly [before: string, lead: string])[] = [
  [':', ''],
  ['default', 'a'],
  ['kube', 'e'],
  ['public', 'l'],
  ['system', 'q'],
];

/** Numbers of one length behind a letter, which sort as the words do. */
function codesOf(words: ReadonlySet<string>): ReadonlyMap<string, string> {
  const sorted = [...words].filter((word) => !NAMESPACES.has(word)).sort(compareText);
  const digits = String(sorted.length).length;
  const leadOf = (word: string) => LEADS.find(([before]) => word < before)?.[1] ?? 't';
  return new Map(sorted.map((word, i) => [word, leadOf(word) + String(i).padStart(digits, '0')]));
}

/** From which ordinal on a StatefulSet updates its pods: it must hold among the pseudonyms of ordinals, too. */
function isOrdinal(path: string): boolean {
  return path.endsWith('.ordinals.start') || path.endsWith('.rollingUpdate.partition');
}

function ordinal(value: number, replace: Replace): number {
  return value > 0 ? Number(replace(String(value))) : value;
}

function fieldOf(shape: Extract<Shape, { is: 'object' | 'split' }>, key: string): Shape | undefined {
  if (shape.is === 'split') return key === shape.key ? shape.apart : fieldOf(shape.rest, key);
  return shape.fields[shape.keys.indexOf(key)];
}

function below(walk: Walk, step: string): Walk {
  return { path: `${walk.path}.${step}`, replace: walk.replace };
}

function mapped(json: Json, change: (entry: readonly [string, unknown]) => readonly [string, unknown]): Json {
  return Object.fromEntries(Object.entries(json).map(change));
}
