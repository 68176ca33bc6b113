import type { Path } from '../../findings/finding.ts';
import type { Report } from '../report.ts';
import { fieldOf, listOf } from './schema-walk.ts';

/** Why an entry of a list matches nothing, and what to write instead; undefined if it may match. */
type Check = (entry: string) => { readonly message: string; readonly hint: string } | undefined;

/** Lists of arguments whose entries choose or protect pods. */
const LISTS: readonly (readonly [holder: readonly string[], list: string, check: Check])[] = [
  [['namespaces'], 'include', checkNamespace],
  [['namespaces'], 'exclude', checkNamespace],
  [['evictableNamespaces'], 'exclude', checkNamespace],
  [['ownerKinds'], 'include', checkOwnerKind],
  [['ownerKinds'], 'exclude', checkOwnerKind],
  [[], 'excludeOwnerKinds', checkOwnerKind],
  [[], 'excludedTaints', checkTaint],
  [[], 'includedTaints', checkTaint],
];

/** Warns of arguments of a plugin that are meant to choose or to protect pods and can match none; they are all legal. */
export function warnOfIdleSettings(args: unknown, path: Path, report: Report): void {
  for (const [holder, list, check] of LISTS) {
    for (const [index, entry] of listOf(holder.reduce(fieldOf, args), list).entries()) {
      const remark = typeof entry === 'string' ? check(entry) : undefined;
      if (remark) report.warning([...path, ...holder, list, index], { code: 'no-effect', ...remark });
    }
  }
  warnOfClaimSettings(args, path, report);
}

/** Names of namespaces are DNS labels: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names */
function checkNamespace(name: string): ReturnType<Check> {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63) return undefined;
  return { message: `no namespace can be called "${name}"`, hint: 'these are names, not patterns: list each one' };
}

/** What the pods of such an object are owned by. */
const OWNED_THROUGH: Readonly<Record<string, string>> = { Deployment: 'ReplicaSet', CronJob: 'Job' };
const POD_OWNERS = ['ReplicaSet', 'ReplicationController', 'StatefulSet', 'DaemonSet', 'Job'];
const KINDS = [...POD_OWNERS, ...Object.keys(OWNED_THROUGH)];

function checkOwnerKind(kind: string): ReturnType<Check> {
  const meant = KINDS.find((known) => sameWord(known, kind));
  const owner = meant !== undefined && Object.hasOwn(OWNED_THROUGH, meant) ? OWNED_THROUGH[meant] : meant;
  if (owner === kind || (owner === undefined && /^[A-Z]/.test(kind))) return undefined;
  const message = meant === kind ? `no pod is owned by a ${kind}` : `no kind is called "${kind}"`;
  return { message, hint: owner === undefined ? 'kinds are written as in ownerReferences of pods' : `write ${owner}` };
}

/** Resources are written in lower case and in the plural, kinds are not. */
function sameWord(kind: string, word: string): boolean {
  return word.toLowerCase().replace(/s$/, '') === kind.toLowerCase();
}

function checkTaint(taint: string): ReturnType<Check> {
  const [wanted, effect] = taint.split(':');
  if (effect === undefined) return undefined;
  return { message: `no taint is "${taint}": it is compared as key or key=value`, hint: `write ${wanted}` };
}

function warnOfClaimSettings(args: unknown, path: Path, report: Report): void {
  const holder = ['podProtections', 'config', 'PodsWithPVC'];
  const config = holder.reduce(fieldOf, args);
  if (config === undefined) return;
  const isOn = listOf(fieldOf(args, 'podProtections'), 'extraEnabled').includes('PodsWithPVC');
  const there = [...path, ...holder];
  if (!isOn && fieldOf(args, 'ignorePvcPods') !== true) {
    const message = 'protects nothing: the protection PodsWithPVC is off';
    report.warning(there, { code: 'no-effect', message, hint: 'add PodsWithPVC to podProtections.extraEnabled' });
  } else if (listOf(config, 'protectedStorageClasses').length === 0) {
    const message = 'chooses nothing: without protectedStorageClasses the pods of all claims are protected';
    report.warning(there, { code: 'no-effect', message, hint: 'list storage classes under protectedStorageClasses' });
  }
}
