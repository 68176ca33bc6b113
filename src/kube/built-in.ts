import { isRecord } from '../cluster/decode/decode-json.ts';
import { parseTime } from '../cluster/decode/decode-time.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import { send, type Call } from './http/call.ts';

/** A controller of kube-controller-manager that does what one of ours does. */
export type BuiltInName = 'node-lifecycle-controller' | 'taint-eviction-controller';

/** A sign that it is at work, completing "…: ". */
export interface BuiltInSign {
  readonly controller: BuiltInName;
  readonly sign: string;
}

/** What could be found out. */
export interface BuiltInFindings {
  readonly signs: readonly BuiltInSign[];
  /** What could not be considered, as whole sentences. */
  readonly unsure: readonly string[];
}

/** What is considered. */
export interface BuiltInCheck {
  readonly call: Call;
  /** Ms since the epoch. */
  readonly now: number;
  /** The manager under which the API server knows our own writes. */
  readonly ourManager: string;
  /** Pods of the cluster. */
  readonly pods: Iterable<Pod>;
}

/** Events are kept for an hour. */
const RECENT_MS = 60 * 60_000;

/** So many pods that were marked for deletion are considered. */
const MOST_PODS = 20;

const SYSTEM = '/api/v1/namespaces/kube-system';

/**
 * Looks for the built-in controllers. The flags of kube-controller-manager decide, where its pods
 * can be seen; else events of its controllers since it last changed leaders, and pods that it has marked for deletion.
 */
export async function findBuiltIns(check: BuiltInCheck): Promise<BuiltInFindings> {
  const { call, now } = check;
  const managers = await items(call, `${SYSTEM}/pods?labelSelector=component%3Dkube-controller-manager`);
  if (managers?.length) return { signs: managers.flatMap(signsOfFlags), unsure: [] };
  const lease = await get(call, '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager');
  const { acquiredAt, isHeld } = leadershipOf(lease, now);
  const since = Math.max(now - RECENT_MS, acquiredAt);
  const events = await signsOfEvents(call, since);
  const marks = await signsOfMarks(check, since);
  const signs = [...(events ?? []), ...marks];
  const unsure = [
    ...(events ? [] : ['events cannot be listed, so that the work of kube-controller-manager cannot be seen']),
    ...(isHeld && signs.length === 0
      ? [
          'kube-controller-manager is running, and its flags cannot be seen: make sure that they switch its controllers off',
        ]
      : []),
  ];
  return { signs: onePerController(signs), unsure };
}

type Json = Readonly<Record<string, unknown>>;

/** Each instance may become the leader, so each counts. */
function signsOfFlags(pod: unknown): readonly BuiltInSign[] {
  const { metadata, spec } = record(pod);
  const containers = record(spec)['containers'];
  const args = (Array.isArray(containers) ? containers : []).flatMap((container: unknown) => {
    const { command, args: more } = record(container);
    const words = [command, more].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
    return words.filter((it) => typeof it === 'string');
  });
  const sign = `the flags of pod kube-system/${String(record(metadata)['name'])} leave it on`;
  return switchedOn(args).map((controller) => ({ controller, sign }));
}

/** Which of the two run under these flags. With a later one of the same name, the later counts. */
export function switchedOn(args: readonly string[]): readonly BuiltInName[] {
  const value = (name: string) => args.findLast((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const names = (value('controllers') ?? '*').split(',').map((name) => name.trim());
  const isOn = (...aliases: readonly string[]) =>
    !aliases.some((alias) => names.includes(`-${alias}`)) &&
    (names.includes('*') || aliases.some((alias) => names.includes(alias)));
  const lifecycle = isOn('node-lifecycle-controller', 'nodelifecycle');
  // Where it is no controller of its own, it is a part of the other.
  const isPart = /(?:^|,)SeparateTaintEvictionController=false/u.test(value('feature-gates') ?? '');
  const eviction =
    value('enable-taint-manager') !== 'false' && (isPart ? lifecycle : isOn('taint-eviction-controller'));
  return [
    ...(lifecycle ? (['node-lifecycle-controller'] as const) : []),
    ...(eviction ? (['taint-eviction-controller'] as const) : []),
  ];
}

/** Who speaks in the events of which controller. */
const SPEAKERS: Readonly<Record<string, BuiltInName>> = {
  'node-controller': 'node-lifecycle-controller',
  'taint-eviction-controller': 'taint-eviction-controller',
  'taint-controller': 'taint-eviction-controller',
};

/** Undefined if events may not be listed. */
async function signsOfEvents(call: Call, since: number): Promise<readonly BuiltInSign[] | undefined> {
  const lists = await Promise.all(
    Object.keys(SPEAKERS).map((speaker) => items(call, `/api/v1/events?limit=500&fieldSelector=source%3D${speaker}`)),
  );
  if (lists.every((list) => list === undefined)) return undefined;
  return lists.flatMap((list) => (list ?? []).flatMap((event) => signOfEvent(record(event), since)));
}

function signOfEvent(event: Json, since: number): readonly BuiltInSign[] {
  const times = [event['lastTimestamp'], event['eventTime'], record(event['series'])['lastObservedTime']];
  const at = Math.max(...times.map((time) => (typeof time === 'string' ? (parseTime(time) ?? 0) : 0)));
  const speaker = record(event['source'])['component'];
  const controller = typeof speaker === 'string' ? SPEAKERS[speaker] : undefined;
  if (!controller || at < since) return [];
  return [{ controller, sign: `its event ${String(event['reason'])} at ${new Date(at).toISOString()}` }];
}

/** Pods with the evicter's condition that somebody else than we have written. */
async function signsOfMarks({ call, pods, ourManager }: BuiltInCheck, since: number) {
  const marked = [...pods].filter((pod) => pod.status.conditions.some((it) => isMark(it))).slice(0, MOST_PODS);
  const paths = marked.map(({ namespace, name }) => `/api/v1/namespaces/${namespace}/pods/${name}`);
  const raw = await Promise.all(paths.map((path) => get(call, path)));
  return raw.flatMap((pod, i): readonly BuiltInSign[] => {
    const by = writerOfMark(pod, since);
    if (by === undefined || by === ourManager) return [];
    return [
      { controller: 'taint-eviction-controller', sign: `pod ${paths[i]?.split('/').at(-1)} was marked by ${by}` },
    ];
  });
}

function isMark(condition: { readonly type: string; readonly reason?: string | undefined }): boolean {
  return condition.type === 'DisruptionTarget' && condition.reason === 'DeletionByTaintManager';
}

function writerOfMark(pod: Json | undefined, since: number): string | undefined {
  const fields = record(pod?.['metadata'])['managedFields'];
  for (const field of Array.isArray(fields) ? fields : []) {
    const { manager, time, fieldsV1 } = record(field);
    if (!JSON.stringify(fieldsV1 ?? {}).includes('\\"DisruptionTarget\\"') || typeof manager !== 'string') continue;
    if (typeof time === 'string' && (parseTime(time) ?? 0) >= since) return manager;
  }
  return undefined;
}

function leadershipOf(lease: Json | undefined, now: number): { readonly acquiredAt: number; readonly isHeld: boolean } {
  const { acquireTime, renewTime, holderIdentity } = record(lease?.['spec']);
  const at = (time: unknown) => (typeof time === 'string' ? (parseTime(time) ?? 0) : 0);
  return { acquiredAt: at(acquireTime), isHeld: Boolean(holderIdentity) && now - at(renewTime) < RECENT_MS };
}

function onePerController(signs: readonly BuiltInSign[]): readonly BuiltInSign[] {
  return signs.filter((sign, i) => signs.findIndex(({ controller }) => controller === sign.controller) === i);
}

async function items(call: Call, path: string): Promise<readonly unknown[] | undefined> {
  const list = (await get(call, path))?.['items'];
  return Array.isArray(list) ? list : undefined;
}

async function get(call: Call, path: string): Promise<Json | undefined> {
  const answer = await send(call, { method: 'GET', path });
  if (!answer.ok) return undefined;
  try {
    return record(JSON.parse(answer.value.toString('utf8')));
  } catch {
    return undefined;
  }
}

function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}
