import type { Toleration } from '../cluster/objects/terms.ts';
import { Decoder } from '../cluster/decode/decode.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Condition, Pod } from '../cluster/objects/pod.ts';
import { apiTime } from '../cluster/updates.ts';
import { matchesLabels } from '../cluster/rules/selectors.ts';
import type { Clock } from '../lib/clock.ts';
import { zoneOf } from '../node-lifecycle/zones.ts';
import type { Happening, RawObject, Target } from './scenario.ts';
import type { SimulatedApi } from './simulated-api.ts';

/** What a scenario acts on. */
export interface Stage {
  readonly api: SimulatedApi;
  readonly clock: Clock;
  readonly decoder: Decoder;
  /** Something that was asked for could not be done. */
  readonly warn: (text: string) => void;
  readonly restart: (downForMs: number) => void;
}

/** Lets one thing of a scenario happen, now. */
export function play(happening: Happening, stage: Stage): void {
  switch (happening.kind) {
    case 'createPod':
    case 'updatePod':
      putPod(happening.kind, happening.object, stage);
      return;
    case 'createNode':
      createNode(happening.object, stage);
      return;
    case 'deletePod': {
      const pod = stage.api.podNamed(happening.namespace, happening.name);
      if (pod) stage.api.removePod(pod);
      else stage.warn(`deletePod: there is no pod ${happening.namespace}/${happening.name} at that time`);
      return;
    }
    case 'deleteNode':
      if (!stage.api.node(happening.name)) stage.warn(`deleteNode: there is no node ${happening.name} at that time`);
      stage.api.removeNode(happening.name);
      return;
    case 'restartController':
      stage.restart(happening.downForMs);
      return;
    default:
      for (const node of nodesOf(happening.target, happening.kind, stage)) onNode(happening, node, stage);
  }
}

/** A healthy kubelet reports itself ready, and nothing as unknown. */
export function postReady(node: Node, { api, clock }: Pick<Stage, 'api' | 'clock'>): void {
  const now = clock.wall();
  const others = node.conditions
    .filter(({ type }) => type !== 'Ready')
    .map((each) => (each.status === 'Unknown' ? { ...each, status: 'False', reason: '', transitionAt: now } : each));
  api.putNode({ ...node, conditions: [...others, conditionNow(node, { type: 'Ready', status: 'True', now })] });
}

function onNode(happening: Exclude<Happening, { readonly kind: NotOnNodes }>, node: Node, stage: Stage): void {
  const { api, clock } = stage;
  const now = clock.wall();
  switch (happening.kind) {
    case 'stopKubelet':
      api.kubelets.stop(node.name, clock.now());
      return;
    case 'startKubelet':
      startKubelet(node, stage);
      return;
    case 'addTaint': {
      const { key, value, effect, timeAdded = apiTime(now) } = happening.taint;
      const others = node.taints.filter((taint) => taint.key !== key || taint.effect !== effect);
      api.putNode({ ...node, taints: [...others, { key, value, effect, timeAdded }] });
      return;
    }
    case 'removeTaint': {
      const { key, effect } = happening.taint;
      const isMeant = (taint: Node['taints'][number]) => taint.key === key && (effect ?? taint.effect) === taint.effect;
      if (node.taints.some(isMeant)) api.putNode({ ...node, taints: node.taints.filter((taint) => !isMeant(taint)) });
      else stage.warn(`removeTaint: node ${node.name} has no taint ${key} at that time`);
      return;
    }
    case 'setCondition': {
      const condition = conditionNow(node, { ...happening.condition, now });
      const others = node.conditions.filter(({ type }) => type !== condition.type);
      api.putNode({ ...node, conditions: [...others, condition] });
    }
  }
}

type NotOnNodes = 'createPod' | 'updatePod' | 'createNode' | 'deletePod' | 'deleteNode' | 'restartController';

/** A kubelet that is back removes what was deleted meanwhile. */
function startKubelet(node: Node, stage: Stage): void {
  const { api, clock } = stage;
  api.kubelets.start(node.name, clock.now());
  postReady(node, stage);
  for (const pod of api.terminatingOn(node.name)) api.removePod(pod);
}

function conditionNow(
  { conditions }: Node,
  { type, status, reason = '', now }: { type: string; status: string; reason?: string; now: number },
): Condition {
  const before = conditions.find((condition) => condition.type === type);
  const transitionAt = before?.status === status ? before.transitionAt : now;
  return { type, status, reason, heartbeatAt: now, transitionAt };
}

function nodesOf(target: Target, what: string, { api, warn }: Stage): readonly Node[] {
  if ('nodes' in target) {
    return target.nodes.flatMap((name) => {
      const node = api.node(name);
      if (!node) warn(`${what}: there is no node ${name} at that time`);
      return node ? [node] : [];
    });
  }
  const found = api.nodes().filter(({ labels }) => {
    if ('selector' in target) return matchesLabels(target.selector, labels);
    const zone = zoneOf(labels);
    return zone === target.zone || zone.slice(zone.indexOf(':') + 1) === target.zone;
  });
  const described = 'zone' in target ? `zone ${target.zone}` : `the labels ${JSON.stringify(target.selector)}`;
  if (found.length === 0) warn(`${what}: no node is in ${described} at that time`);
  return found;
}

function createNode(object: RawObject, stage: Stage): void {
  const { api, clock, decoder, warn } = stage;
  const node = decoder.decodeObject(object, 'Node')?.object;
  if (node?.kind !== 'Node') return;
  if (api.node(node.name)) warn(`createNode: node ${node.name} is there already; it is replaced`);
  const uid = givenUid(object) ?? `${node.uid}-${clock.wall()}`;
  api.kubelets.start(node.name, clock.now());
  api.putNode({ ...node, uid, createdAt: node.createdAt ?? clock.wall() });
  if (!node.conditions.some(({ type }) => type === 'Ready')) postReady({ ...node, uid }, stage);
}

function putPod(kind: 'createPod' | 'updatePod', object: RawObject, { api, clock, decoder, warn }: Stage): void {
  const pod = decoder.decodeObject(object, 'Pod')?.object;
  if (pod?.kind !== 'Pod') return;
  const now = clock.wall();
  const before = api.podNamed(pod.namespace, pod.name);
  const isNew = kind === 'createPod' || !before;
  if (isNew === (before !== undefined))
    warn(`createPod: pod ${pod.namespace}/${pod.name} is there already; it is replaced`);
  if (kind === 'updatePod' && !before) warn(`updatePod: there is no pod ${pod.namespace}/${pod.name}; it is created`);
  const uid = givenUid(object) ?? (isNew ? `${pod.uid}-${now}` : before.uid);
  if (before && before.uid !== uid) api.removePod(before);
  const admitted = withDefaultTolerations({ ...pod, uid, createdAt: pod.createdAt ?? before?.createdAt ?? now });
  const isBound = pod.nodeName !== '' && (isNew || before.nodeName !== pod.nodeName);
  api.putPod(isBound ? boundNow(admitted, now) : admitted);
}

function givenUid({ metadata }: RawObject): string | undefined {
  const { uid } = (metadata ?? {}) as { readonly uid?: unknown };
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}

/** A pod that gets its node now was not bound before now, whatever its object says. */
function boundNow(pod: Pod, now: number): Pod {
  const scheduled: Condition = {
    type: 'PodScheduled',
    status: 'True',
    reason: '',
    transitionAt: now,
    heartbeatAt: undefined,
  };
  const others = pod.status.conditions.filter(({ type }) => type !== 'PodScheduled');
  return { ...pod, status: { ...pod.status, conditions: [...others, scheduled] } };
}

/** What the API server's admission adds to every pod that does not say otherwise (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds). */
function withDefaultTolerations(pod: Pod): Pod {
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) => !pod.spec.tolerations.some((it) => concerns(it, key)),
  );
  if (missing.length === 0) return pod;
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    value: '',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  return { ...pod, spec: { ...pod.spec, tolerations: [...pod.spec.tolerations, ...added] } };
}

function concerns({ key, effect }: Toleration, wanted: string): boolean {
  return (key === wanted || key === '') && (effect === 'NoExecute' || effect === '');
}
