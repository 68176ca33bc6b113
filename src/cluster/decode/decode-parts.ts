import type { LabelSelector, Labels, NodeSelectorTerm, Requirement } from '../objects/terms.ts';
import type { Shared } from './decode-shared.ts';
import { isClusterScoped } from './decode-table.ts';
import type {
  AmountsFields,
  LabelSelectorFields,
  Metadata,
  NodeSelectorFields,
  OwnerFields,
} from './decode-table-pod.ts';
import type { Named } from '../objects/kinds.ts';
import type { Owner } from '../objects/pod.ts';
import { parseAmounts, type Resources } from '../amounts/resources.ts';

/** No labels, shared. */
export const NO_LABELS: Labels = Object.freeze({});
/** Nothing requested, shared. */
export const NO_RESOURCES: Resources = Object.freeze({});
const NO_OWNERS: readonly Owner[] = Object.freeze([]);

interface RequirementFields {
  readonly key: string | undefined;
  readonly operator: string | undefined;
  readonly values: readonly string[] | undefined;
}
type Requirements = readonly RequirementFields[];

/** A string map in the order of its keys, one object for equal ones. */
export function labelsOf(fields: Shared<Labels> | undefined): Labels {
  return fields ? fields.as(sortedLabels) : NO_LABELS;
}

/** A string map in the order of its keys. */
export function sortedLabels(fields: Labels | undefined): Labels {
  return isEmpty(fields) ? NO_LABELS : sorted(fields);
}

/** Name, namespace, UID and labels. A namespaced object without a namespace is in `default`, as for the API server. */
export function namedOf(kind: string, metadata: Metadata | undefined): Named {
  const name = metadata?.name ?? '';
  const namespace = isClusterScoped(kind) ? '' : metadata?.namespace || 'default';
  const uid = metadata?.uid || madeUpUid(kind, namespace, name);
  return { name, namespace, uid, labels: labelsOf(metadata?.labels) };
}

/**
 * Owner references; one without a UID gets the one that the owner itself would get. One without kind or name, which the API
 * server refuses, is none: what it would say about a pod (that a DaemonSet puts it back) cannot be known.
 */
export function ownersOf(metadata: Metadata | undefined, namespace: string): readonly Owner[] {
  const owners = metadata?.ownerReferences?.as(buildOwners) ?? NO_OWNERS;
  return owners.every((owner) => owner.uid !== '') ? owners : owners.map((owner) => withUid(owner, namespace));
}

function buildOwners(references: readonly OwnerFields[]): readonly Owner[] {
  return references.flatMap(({ kind, name, uid = '', apiVersion = '', controller = false }) =>
    kind && name ? [{ kind, name, uid, apiVersion, controller }] : [],
  );
}

function withUid(owner: Owner, namespace: string): Owner {
  return {
    ...owner,
    uid: owner.uid || madeUpUid(owner.kind, isClusterScoped(owner.kind) ? '' : namespace, owner.name),
  };
}

/** A label selector; undefined where the API has nil, `{}` where it has an empty one. */
export function selectorOf(fields: LabelSelectorFields | undefined): LabelSelector | undefined {
  if (!fields) return undefined;
  return {
    matchLabels: sortedLabels(fields.matchLabels),
    matchExpressions: requirementsOf(fields.matchExpressions),
  };
}

/** The terms of a node selector; undefined where there is none. */
export function termsOf(fields: NodeSelectorFields | undefined): readonly NodeSelectorTerm[] | undefined {
  return fields && (fields.nodeSelectorTerms ?? []).map(termOf);
}

/** One node selector term. */
export function termOf(fields: {
  readonly matchExpressions: Requirements | undefined;
  readonly matchFields: Requirements | undefined;
}): NodeSelectorTerm {
  return {
    matchExpressions: requirementsOf(fields.matchExpressions),
    matchFields: requirementsOf(fields.matchFields),
  };
}

/** Amounts in the order of their names, to a thousandth. */
export function amountsOf(fields: AmountsFields | undefined): Resources {
  return fields ? fields.as(buildAmounts) : NO_RESOURCES;
}

/**
 * Requests with what the API server fills in: a limit without a request is requested as well. Stored pods have it
 * already; templates and hand-written objects do not.
 */
export function requestsWithLimits(
  fields: { readonly [K in 'requests' | 'limits']: AmountsFields | undefined } | undefined,
): Resources {
  const requests = amountsOf(fields?.requests);
  const limits = amountsOf(fields?.limits);
  for (const name in limits) {
    if (!Object.hasOwn(requests, name)) return sorted({ ...limits, ...requests });
  }
  return requests;
}

function buildAmounts(fields: Labels): Resources {
  return isEmpty(fields) ? NO_RESOURCES : parseAmounts(sorted(fields));
}

function requirementsOf(fields: Requirements | undefined): readonly Requirement[] {
  return (fields ?? []).map(({ key = '', operator = '', values = [] }) => ({ key, operator, values }));
}

/** Stable and unlike any real one: the kind, then where the object is. */
function madeUpUid(kind: string, namespace: string, name: string): string {
  return namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/** By key. The API server writes maps in that order, so mostly there is nothing to do. */
export function sorted<T extends string | number>(fields: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  let last = '';
  for (const key in fields) {
    if (key < last) return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
    last = key;
  }
  return fields;
}

function isEmpty(fields: Labels | undefined): fields is undefined {
  for (const _ in fields) return false;
  return true;
}
