import type { Embedded } from './embedded.ts';
import { embeddedPolicy } from './embedded.ts';
import { quoted } from './issues.ts';
import type { Report } from '../report.ts';
import { fieldOf, isMap, knownKeys, listOf } from './schema-walk.ts';
import { policyDocument } from '../v1alpha2.ts';

type Keys = Readonly<Record<string, unknown>>;

/** The kind of a policy. */
export const KIND = 'DeschedulerPolicy';

/** What to go on with behind a wrong kind: the policy that stands somewhere within, the text itself, or nothing. */
export type Behind = Embedded | 'itself' | 'nothing';

/**
 * Reports a text that is no policy by its kind or its keys: what it seems to be, and where in it a policy stands. Undefined
 * for a policy.
 */
export function judgeKind(value: Keys, report: Report): Behind | undefined {
  const { kind } = value;
  const isOtherKind = kind !== undefined && kind !== null && kind !== KIND;
  if (!isOtherKind && !looksForeign(value)) return undefined;
  const guess = GUESSES.find(({ isIt }) => isIt(value));
  const within = embeddedPolicy(value);
  const message = isOtherKind
    ? `the kind must be ${KIND}, not ${quoted(kind)}`
    : `this is not a ${KIND}: none of its keys belongs to one`;
  const seems = guess?.what === undefined ? '' : `; it seems to be ${guess.what}`;
  const hint = within ? hintOf(within) : (guess?.hint(value) ?? ownHint(isOtherKind, value));
  report.error(isOtherKind ? ['kind'] : [], { code: 'wrong-kind', message: `${message}${seems}`, hint });
  if (within) return within;
  return guess === undefined && !looksForeign(value) ? 'itself' : 'nothing';
}

function looksForeign(value: Keys): boolean {
  const { apiVersion, kind } = value;
  if (kind === KIND || (typeof apiVersion === 'string' && apiVersion.startsWith('descheduler/'))) return false;
  const own = (knownKeys(policyDocument) ?? []).filter((key) => !['apiVersion', 'kind', 'metadata'].includes(key));
  return ![...own, 'strategies'].some((key) => key in value);
}

function hintOf({ path, value }: Embedded): string {
  const [first, ...rest] = path.map((step) => (typeof step === 'number' || step.includes('.') ? [step] : step));
  const place = rest.reduce<string>(
    (text, step) => (typeof step === 'string' ? `${text}.${step}` : `${text}${JSON.stringify(step)}`),
    typeof first === 'string' ? first : JSON.stringify(first),
  );
  if (typeof value === 'string') return `the policy is the text under ${place}: give that as a file of its own`;
  return `the policy is the part under ${place}: give that as a file of its own, with apiVersion and kind`;
}

function ownHint(isOtherKind: boolean, value: Keys): string {
  if (isOtherKind && !looksForeign(value)) return `write kind: ${KIND}`;
  return `a policy begins with apiVersion: descheduler/v1alpha2 and kind: ${KIND}`;
}

/** Something else that is given for a policy by mistake. */
interface Guess {
  /** Undefined where its kind says it. */
  readonly what?: string;
  readonly isIt: (value: Keys) => boolean;
  /** What to give instead, if no policy stands in it. */
  readonly hint: (value: Keys) => string;
}

function isKind(...kinds: readonly string[]): Guess['isIt'] {
  return ({ kind }) => typeof kind === 'string' && kinds.includes(kind);
}

const WORKLOADS = ['CronJob', 'Job', 'Deployment', 'StatefulSet', 'DaemonSet', 'Pod'];
const CHART_KEYS = ['deschedulerPolicy', 'deschedulerPolicyAPIVersion', 'cmdOptions'];

/** First match wins. A values file of the chart may say `kind: CronJob`, too. */
const GUESSES: readonly Guess[] = [
  {
    what: "the values of the descheduler's Helm chart",
    isIt: (value) => !('spec' in value) && CHART_KEYS.some((key) => key in value),
    hint: (value) =>
      'deschedulerPolicy' in value
        ? 'its policy stands under deschedulerPolicy, which must be a map of keys'
        : 'its policy stands under deschedulerPolicy, which is not there: then the one of the chart counts',
  },
  {
    what: "the resource of OpenShift's descheduler operator",
    isIt: isKind('KubeDescheduler'),
    hint: (value) => `the operator writes the policy into a ConfigMap: ${operatorCall(value)}`,
  },
  {
    what: 'a workload that runs a descheduler',
    isIt: isKind(...WORKLOADS),
    hint: (value) => `the policy is in ${configMapsOf(value)}; give that as a file of its own`,
  },
  {
    isIt: isKind('ConfigMap'),
    hint: ({ data }) => configMapHint(Object.keys(isMap(data) ? data : {})),
  },
  {
    what: "the configuration of Koordinator's descheduler, which is another program",
    isIt: isKind('DeschedulerConfiguration'),
    hint: () => `write a ${KIND}; its profiles have other plugins`,
  },
  {
    what: 'the configuration of the scheduler',
    isIt: isKind('KubeSchedulerConfiguration'),
    hint: () => `give a ${KIND}; what strategies must know of the scheduler stands under its key scheduler`,
  },
  { isIt: isKind('OutageScenario'), hint: () => 'evenkeel outage --scenario FILE simulates a scenario' },
  {
    isIt: ({ kind }) => typeof kind === 'string' && kind.endsWith('List'),
    hint: () => 'no policy is among its items; a dump of a cluster is given with --from-dump',
  },
];

function configMapHint(keys: readonly string[]): string {
  const key = keys.find((name) => /\.ya?ml$/.test(name)) ?? keys[0];
  if (key === undefined) return 'it has no data; give the one that holds the policy, or the policy itself';
  return `give the text under data[${JSON.stringify(key)}] as a file of its own, if it is a ${KIND}`;
}

function operatorCall({ metadata }: Keys): string {
  const textOf = (key: string, otherwise: string) => {
    const text = fieldOf(metadata, key);
    return typeof text === 'string' ? text : otherwise;
  };
  const namespace = textOf('namespace', 'openshift-kube-descheduler-operator');
  return `oc get configmap ${textOf('name', 'cluster')} -n ${namespace} -o yaml`;
}

/** The ConfigMaps that the pods of a workload mount. */
function configMapsOf(value: Keys): string {
  const template = [value['spec'], fieldOf(fieldOf(value['spec'], 'jobTemplate'), 'spec')];
  const specs = [value['spec'], ...template.map((spec) => fieldOf(fieldOf(spec, 'template'), 'spec'))];
  const volumes = specs.flatMap((spec) => listOf(spec, 'volumes')).filter(isMap);
  const names = volumes
    .map((volume) => fieldOf(volume['configMap'], 'name'))
    .filter((name) => typeof name === 'string');
  return names.length === 0 ? 'the ConfigMap that it mounts' : `the ConfigMap ${names.join(' or ')} that it mounts`;
}
