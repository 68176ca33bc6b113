import type { LabelSelector, PodAffinityTerm } from '../../src/cluster/objects/terms.ts';
import { matchesRequiredNodeAffinity, termProblem } from '../../src/cluster/rules/affinity.ts';
import type { Claim } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import { isFinished, type Pod, type SpreadConstraint } from '../../src/cluster/objects/pod.ts';
import { requestsOf, assignedRequests } from '../../src/cluster/amounts/requests.ts';
import { matchesRequirements, matchesSelector } from '../../src/cluster/rules/selectors.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { isTolerated, untoleratedTaint } from '../../src/cluster/rules/taints.ts';

/** A pod that stands on a node, in a list without any index. */
export interface Standing {
  readonly pod: Pod;
  readonly node: Node;
  readonly leaving: boolean;
  readonly replacement: boolean;
}

/** kube-scheduler's rules (rule S6) said as plainly as possible, for clusters of a few nodes. */
export class PlainPlacement {
  readonly #snapshot: Snapshot;
  readonly #booked = new Map<string, Node | undefined>();
  readonly #removed = new Set<string>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  assume(victim: Pod, destination: Node | undefined): void {
    this.#booked.set(victim.uid, destination);
  }

  forget(victim: Pod): void {
    this.#booked.delete(victim.uid);
    this.#removed.delete(victim.uid);
  }

  remove(victim: Pod): void {
    this.forget(victim);
    this.#removed.add(victim.uid);
  }

  codes(pod: Pod, node: Node): readonly string[] {
    const others = this.#standing().filter((one) => one.replacement || one.pod.uid !== pod.uid);
    const refusal = new Asked(this.#snapshot, others, pod).refusal();
    if (refusal) return [refusal];
    const nominated = this.#nominatedTo(node, pod);
    const withNominated = new Asked(this.#snapshot, [...others, ...nominated], pod).codes(node);
    return withNominated.length > 0 ? withNominated : new Asked(this.#snapshot, others, pod).codes(node);
  }

  #standing(): readonly Standing[] {
    const all: Standing[] = [];
    for (const pod of this.#snapshot.pods) {
      const node = this.#snapshot.nodes.find(({ name }) => name === pod.nodeName);
      const leaving = pod.deletedAt !== undefined || this.#booked.has(pod.uid);
      if (node && !isFinished(pod) && !this.#removed.has(pod.uid)) all.push({ pod, node, leaving, replacement: false });
      const destination = this.#booked.get(pod.uid);
      if (destination) all.push({ pod, node: destination, leaving: false, replacement: true });
    }
    return all;
  }

  #nominatedTo(node: Node, asked: Pod): readonly Standing[] {
    return this.#snapshot.pods
      .filter(
        (pod) =>
          pod.nodeName === '' &&
          pod.status.nominatedNode === node.name &&
          pod.uid !== asked.uid &&
          !isFinished(pod) &&
          pod.deletedAt === undefined &&
          (pod.spec.priority ?? 0) >= (asked.spec.priority ?? 0),
      )
      .map((pod) => ({ pod, node, leaving: false, replacement: false }));
  }
}

/** One pod to place among these residents. */
class Asked {
  readonly #snapshot: Snapshot;
  readonly #assignedPods: readonly Standing[];
  readonly #pod: Pod;

  constructor(snapshot: Snapshot, assignedPods: readonly Standing[], pod: Pod) {
    this.#snapshot = snapshot;
    this.#assignedPods = assignedPods;
    this.#pod = pod;
  }

  refusal(): string | undefined {
    const { spec } = this.#pod;
    if (spec.preferredNodeAffinity.some(({ term }) => termProblem(term) !== undefined)) return 'node-affinity';
    if (this.#claimNames().some((name) => !this.#claim(name))) return 'claim-missing';
    if (this.#claimNames().some((name) => this.#isUnboundImmediate(name))) return 'claim-unbound';
    return undefined;
  }

  codes(node: Node): readonly string[] {
    const { spec } = this.#pod;
    const cordon = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule', timeAdded: undefined };
    if (node.unschedulable && !isTolerated(spec.tolerations, cordon)) return ['cordon'];
    if (untoleratedTaint(spec.tolerations, node.taints)) return ['taint'];
    if (!matchesRequiredNodeAffinity(spec, node)) return ['node-affinity'];
    if (this.#portTaken(node)) return ['ports'];
    const short = this.#shortages(node);
    if (short.length > 0) return short;
    if (this.#singlePodClaimTaken()) return ['rwop'];
    if (this.#tooManyVolumes(node)) return ['volume-limit'];
    if (!this.#volumesReach(node)) return ['volume-node'];
    if (!this.#zonesMatch(node)) return ['volume-zone'];
    const spread = this.#spread(node);
    if (spread) return [spread];
    if (!this.#near(node, false) || !this.#near(node, true)) return ['pod-affinity'];
    if (this.#apart(node)) return ['anti'];
    if (this.#forbidden(node)) return ['existing-anti'];
    return [];
  }

  // ------------------------------------------------ room

  #on(node: Node): readonly Standing[] {
    return this.#assignedPods.filter((one) => one.node.name === node.name);
  }

  #portTaken(node: Node): boolean {
    const taken = this.#on(node).flatMap(({ pod }) => pod.spec.containers.flatMap(({ hostPorts }) => hostPorts));
    const asked = this.#pod.spec.containers.flatMap(({ hostPorts }) => hostPorts);
    const all = '0.0.0.0';
    return asked.some((a) =>
      taken.some(
        (b) => a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === all || b.ip === all),
      ),
    );
  }

  #shortages(node: Node): readonly string[] {
    const here = this.#on(node);
    const codes = here.length + 1 > (node.allocatable.pods ?? 0) ? ['pods'] : [];
    const needs = requestsOf(this.#pod.spec);
    for (const name of ['cpu', 'memory', 'example.com/gpu']) {
      const used = here.reduce(
        (sum, { pod, replacement }) => sum + ((replacement ? requestsOf(pod.spec) : assignedRequests(pod))[name] ?? 0),
        0,
      );
      const need = needs[name] ?? 0;
      if (need > 0 && need > (node.allocatable[name] ?? 0) - used) codes.push(name);
    }
    return codes;
  }

  // ------------------------------------------------ volumes

  #claimNames(pod = this.#pod): readonly string[] {
    return pod.spec.volumes.flatMap((volume) => (volume.kind === 'claim' ? [volume.claim] : []));
  }

  #claim(name: string, namespace = this.#pod.namespace): Claim | undefined {
    return this.#snapshot
      .list('PersistentVolumeClaim')
      .find((claim) => claim.name === name && claim.namespace === namespace);
  }

  #isUnboundImmediate(name: string): boolean {
    const claim = this.#claim(name);
    if (!claim || claim.annotations['pv.kubernetes.io/bind-completed'] !== undefined) return false;
    return !this.#snapshot.list('StorageClass').some((one) => one.name === claim.storageClass && one.waitsForConsumer);
  }

  #volumes() {
    const names = this.#claimNames().flatMap((name) => this.#claim(name)?.volumeName ?? []);
    return this.#snapshot.list('PersistentVolume').filter(({ name }) => names.includes(name));
  }

  #singlePodClaimTaken(): boolean {
    return this.#claimNames().some(
      (name) =>
        this.#claim(name)?.accessModes.includes('ReadWriteOncePod') === true &&
        this.#assignedPods.some(
          ({ pod }) => pod.namespace === this.#pod.namespace && this.#claimNames(pod).includes(name),
        ),
    );
  }

  #handles(pod: Pod): readonly string[] {
    return this.#claimNames(pod).flatMap((name) => {
      const claim = this.#claim(name, pod.namespace);
      if (!claim) return [];
      if (claim.volumeName === '') return [`${pod.namespace}/${name}`];
      return this.#snapshot
        .list('PersistentVolume')
        .filter((volume) => volume.name === claim.volumeName)
        .map(({ handle }) => handle);
    });
  }

  /** All volumes of the random clusters are of one driver. */
  #tooManyVolumes(node: Node): boolean {
    const limit = this.#snapshot.list('CSINode').find(({ name }) => name === node.name)?.limits['csi.example'];
    const wanted = this.#handles(this.#pod);
    if (limit === undefined || wanted.length === 0) return false;
    return new Set([...this.#on(node).flatMap(({ pod }) => this.#handles(pod)), ...wanted]).size > limit;
  }

  #volumesReach({ labels }: Node): boolean {
    return this.#volumes().every(
      ({ nodeAffinity }) => nodeAffinity?.some((term) => matchesRequirements(term.matchExpressions, labels)) ?? true,
    );
  }

  #zonesMatch({ labels }: Node): boolean {
    const zone = 'topology.kubernetes.io/zone';
    if (labels[zone] === undefined) return true;
    return this.#volumes().every((volume) => volume.labels[zone] === undefined || volume.labels[zone] === labels[zone]);
  }

  // ------------------------------------------------ topology spread

  #spread(node: Node): string | undefined {
    const hard = this.#pod.spec.spreadConstraints.filter((one) => one.whenUnsatisfiable === 'DoNotSchedule');
    const keyed = this.#snapshot.nodes.filter((one) =>
      hard.every(({ topologyKey }) => one.labels[topologyKey] !== undefined),
    );
    for (const constraint of hard) {
      const value = node.labels[constraint.topologyKey];
      if (value === undefined) return 'spread-key';
      const nodes = keyed.filter((one) => this.#isCounted(one, constraint));
      const domains = [...new Set(nodes.map(({ labels }) => labels[constraint.topologyKey]))];
      const selector = this.#merged(constraint.labelSelector, constraint.matchLabelKeys, []);
      const countIn = (domain: string | undefined) =>
        this.#assignedPods.filter(
          (one) =>
            !one.leaving &&
            nodes.includes(one.node) &&
            one.node.labels[constraint.topologyKey] === domain &&
            one.pod.namespace === this.#pod.namespace &&
            selector !== undefined &&
            matchesSelector(selector, one.pod.labels),
        ).length;
      const enough = domains.length >= (constraint.minDomains ?? 1) && domains.length > 0;
      const min = enough ? Math.min(...domains.map(countIn)) : 0;
      const self = selector && matchesSelector(selector, this.#pod.labels) ? 1 : 0;
      if (countIn(value) + self - min > constraint.maxSkew) return 'spread';
    }
    return undefined;
  }

  #isCounted(node: Node, { nodeAffinityPolicy, nodeTaintsPolicy }: SpreadConstraint): boolean {
    const { spec } = this.#pod;
    if (nodeAffinityPolicy === 'Honor' && !matchesRequiredNodeAffinity(spec, node)) return false;
    return nodeTaintsPolicy === 'Ignore' || !untoleratedTaint(spec.tolerations, node.taints);
  }

  #merged(
    selector: LabelSelector | undefined,
    match: readonly string[],
    mismatch: readonly string[],
    labels = this.#pod.labels,
  ): LabelSelector | undefined {
    if (!selector) return undefined;
    const added = [
      ...match
        .filter((key) => labels[key] !== undefined)
        .map((key) => ({ key, operator: 'In', values: [labels[key]!] })),
      ...mismatch
        .filter((key) => labels[key] !== undefined)
        .map((key) => ({ key, operator: 'NotIn', values: [labels[key]!] })),
    ];
    return { ...selector, matchExpressions: [...selector.matchExpressions, ...added] };
  }

  // ------------------------------------------------ pod affinity

  /** Whether the owner's term means the pod. `wide`: as 1.36 reads negative namespace selectors (D2). */
  #means(owner: Pod, term: PodAffinityTerm, pod: Pod, wide = false): boolean {
    const selector = this.#merged(term.labelSelector, term.matchLabelKeys, term.mismatchLabelKeys, owner.labels);
    if (!selector || !matchesSelector(selector, pod.labels)) return false;
    const { namespaces, namespaceSelector } = term;
    if (!namespaceSelector) return (namespaces.length > 0 ? namespaces : [owner.namespace]).includes(pod.namespace);
    if (wide && matchesSelector(namespaceSelector, {})) return true;
    const object = this.#snapshot.list('Namespace').find(({ name }) => name === pod.namespace);
    return namespaces.includes(pod.namespace) || matchesSelector(namespaceSelector, object?.labels ?? {});
  }

  #near(node: Node, wide: boolean): boolean {
    const terms = this.#pod.spec.podAffinity;
    if (terms.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
    const matching = this.#assignedPods.filter((one) =>
      terms.every((term) => this.#means(this.#pod, term, one.pod, wide)),
    );
    const counted = matching.some((one) => terms.some(({ topologyKey }) => one.node.labels[topologyKey] !== undefined));
    if (!counted && terms.every((term) => this.#means(this.#pod, term, this.#pod, wide))) return true;
    return terms.every(({ topologyKey }) =>
      matching.some((one) => one.node.labels[topologyKey] === node.labels[topologyKey]),
    );
  }

  #apart(node: Node): boolean {
    return this.#pod.spec.podAntiAffinity.some((term) =>
      this.#assignedPods.some(
        (one) =>
          (this.#means(this.#pod, term, one.pod) || this.#means(this.#pod, term, one.pod, true)) &&
          inOneDomain(one.node, node, term.topologyKey),
      ),
    );
  }

  #forbidden(node: Node): boolean {
    return this.#assignedPods.some((one) =>
      one.pod.spec.podAntiAffinity.some(
        (term) => this.#means(one.pod, term, this.#pod) && inOneDomain(one.node, node, term.topologyKey),
      ),
    );
  }
}

function inOneDomain(a: Node, b: Node, key: string): boolean {
  return a.labels[key] !== undefined && a.labels[key] === b.labels[key];
}
