import assert from 'node:assert/strict';
import { found } from './policy-text.ts';

const CHART = "it seems to be the values of the descheduler's Helm chart";
const AS_FILE = 'give that as a file of its own';
const not = (kind: string) => `the kind must be DeschedulerPolicy, not "${kind}"`;
const BAD_KEY = 'unknown key (did you mean "enabled"?)';

/** A profile with a misspelt key, as lines with this indentation. */
function profiles(indent: number): string {
  const lines = ['profiles:', '- name: main', '  plugins:', '    balance:', '      enable: [RemoveDuplicates]'];
  return lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('');
}

const policyText = (indent: number) =>
  `${' '.repeat(indent)}apiVersion: descheduler/v1alpha2\n${' '.repeat(indent)}kind: DeschedulerPolicy\n${profiles(indent)}`;

describe('a file that is no policy', () => {
  const rows: readonly [what: string, text: string, expected: readonly string[]][] = [
    [
      'the values of the chart: what is wrong in its policy is found, too',
      `kind: CronJob\nschedule: "*/20 * * * *"\ndeschedulerPolicyAPIVersion: descheduler/v1alpha2\ndeschedulerPolicy:\n${profiles(2)}`,
      [
        `error wrong-kind 1 kind: ${not('CronJob')}; ${CHART} (the policy is the part under deschedulerPolicy: ${AS_FILE}, with apiVersion and kind)`,
        `error unknown-key 9 deschedulerPolicy.profiles[0].plugins.balance.enable: ${BAD_KEY}`,
      ],
    ],
    [
      'the values of a chart around the chart, of an old policy',
      'descheduler:\n  deschedulerPolicyAPIVersion: descheduler/v1alpha1\n  deschedulerPolicy:\n    strategies:\n      RemoveDuplicats: {enabled: true}\n',
      [
        `error wrong-kind 1 : this is not a DeschedulerPolicy: none of its keys belongs to one (the policy is the part under descheduler.deschedulerPolicy: ${AS_FILE}, with apiVersion and kind)`,
        'error unknown-plugin 5 descheduler.deschedulerPolicy.strategies.RemoveDuplicats: no plugin is called "RemoveDuplicats" (did you mean "RemoveDuplicates"?)',
      ],
    ],
    [
      'the values of the chart without its policy',
      'kind: Deployment\ncmdOptions: {v: 3}\n',
      [
        `error wrong-kind 1 kind: ${not('Deployment')}; ${CHART} (its policy stands under deschedulerPolicy, which is not there: then the one of the chart counts)`,
      ],
    ],
    [
      'the values of the chart with its policy as a text',
      'deschedulerPolicy: |\n  profiles: []\n',
      [
        `error wrong-kind 1 : this is not a DeschedulerPolicy: none of its keys belongs to one; ${CHART} (its policy stands under deschedulerPolicy, which must be a map of keys)`,
      ],
    ],
    [
      'a ConfigMap: places are those in its text',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: policy}\ndata:\n  policy.yaml: |\n${policyText(4)}`,
      [
        `error wrong-kind 2 kind: ${not('ConfigMap')} (the policy is the text under data["policy.yaml"]: ${AS_FILE})`,
        `error unknown-key 12 data.policy.yaml.profiles[0].plugins.balance.enable: ${BAD_KEY}`,
      ],
    ],
    [
      'a ConfigMap as JSON: places are where its text begins',
      JSON.stringify({ kind: 'ConfigMap', data: { 'policy.yaml': policyText(0) } }, undefined, 1),
      [
        `error wrong-kind 2 kind: ${not('ConfigMap')} (the policy is the text under data["policy.yaml"]: ${AS_FILE})`,
        `error unknown-key 4 data.policy.yaml.profiles[0].plugins.balance.enable: ${BAD_KEY}`,
      ],
    ],
    [
      'a ConfigMap whose text is no YAML',
      'kind: ConfigMap\ndata:\n  policy.yaml: |-\n    kind: DeschedulerPolicy\n    profiles: [\n',
      [
        `error wrong-kind 1 kind: ${not('ConfigMap')} (the policy is the text under data["policy.yaml"]: ${AS_FILE})`,
        'error not-yaml 5 : not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
    ],
    [
      'a ConfigMap of something else',
      'kind: ConfigMap\ndata: {a.txt: x, b.yml: y}\n',
      [
        `error wrong-kind 1 kind: ${not('ConfigMap')} (give the text under data["b.yml"] as a file of its own, if it is a DeschedulerPolicy)`,
      ],
    ],
    [
      'an empty ConfigMap',
      'kind: ConfigMap\n',
      [
        `error wrong-kind 1 kind: ${not('ConfigMap')} (it has no data; give the one that holds the policy, or the policy itself)`,
      ],
    ],
    [
      'a List with the policy in it',
      `apiVersion: v1\nkind: List\nitems:\n- {kind: Namespace}\n- apiVersion: descheduler/v1alpha2\n  kind: DeschedulerPolicy\n${profiles(2)}`,
      [
        `error wrong-kind 2 kind: ${not('List')} (the policy is the part under items[1]: ${AS_FILE}, with apiVersion and kind)`,
        `error unknown-key 11 items[1].profiles[0].plugins.balance.enable: ${BAD_KEY}`,
      ],
    ],
    [
      'a list of pods',
      'kind: PodList\nitems: []\n',
      [
        `error wrong-kind 1 kind: ${not('PodList')} (no policy is among its items; a dump of a cluster is given with --from-dump)`,
      ],
    ],
    [
      'the resource of the operator of OpenShift',
      'apiVersion: operator.openshift.io/v1\nkind: KubeDescheduler\nmetadata: {name: cluster, namespace: ops}\nspec: {mode: Predictive, profiles: [AffinityAndTaints]}\n',
      [
        `error wrong-kind 2 kind: ${not('KubeDescheduler')}; it seems to be the resource of OpenShift's descheduler operator (the operator writes the policy into a ConfigMap: oc get configmap cluster -n ops -o yaml)`,
      ],
    ],
    [
      'the CronJob of the manifests',
      'apiVersion: batch/v1\nkind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: {volumes: [{name: v, configMap: {name: descheduler-policy}}]}}}}}\n',
      [
        `error wrong-kind 2 kind: ${not('CronJob')}; it seems to be a workload that runs a descheduler (the policy is in the ConfigMap descheduler-policy that it mounts; give that as a file of its own)`,
      ],
    ],
    [
      'the configuration of another project, in the same group',
      'apiVersion: descheduler/v1alpha2\nkind: DeschedulerConfiguration\ndryRun: true\nprofiles: [{name: load}]\n',
      [
        `error wrong-kind 2 kind: ${not('DeschedulerConfiguration')}; it seems to be the configuration of Koordinator's descheduler, which is another program (write a DeschedulerPolicy; its profiles have other plugins)`,
      ],
    ],
    [
      'a misspelt kind and version: the rest is checked all the same',
      `apiVersion: descheduler/v1alpha3\nkind: DeschedulerPolcy\n${profiles(0)}`,
      [
        'error unknown-version 1 apiVersion: the apiVersion "descheduler/v1alpha3" does not exist; known are descheduler/v1alpha1 and descheduler/v1alpha2 (did you mean "descheduler/v1alpha2"?)',
        `error wrong-kind 2 kind: ${not('DeschedulerPolcy')} (write kind: DeschedulerPolicy)`,
        `error unknown-key 7 profiles[0].plugins.balance.enable: ${BAD_KEY}`,
      ],
    ],
    [
      'a kind that is no text',
      'kind: {a: [b]}\nprofiles: []\n',
      [
        'error unknown-version 1 : there is no apiVersion; known are descheduler/v1alpha1 and descheduler/v1alpha2 (by its keys it seems to be apiVersion: descheduler/v1alpha2)',
        'error wrong-kind 1 kind: the kind must be DeschedulerPolicy, not a map of keys (write kind: DeschedulerPolicy)',
      ],
    ],
    [
      'a policy in a ConfigMap in a ConfigMap is looked for no further',
      'kind: ConfigMap\ndata:\n  a: |\n    kind: ConfigMap\n    data:\n      b: |\n        kind: DeschedulerPolicy\n        profil: []\n',
      [
        `error wrong-kind 1 kind: ${not('ConfigMap')} (the policy is the text under data.a: ${AS_FILE})`,
        `error wrong-kind 4 data.a.kind: ${not('ConfigMap')} (the policy is the text under data.b: ${AS_FILE})`,
      ],
    ],
  ];
  for (const [what, text, expected] of rows) {
    it(what, () => assert.deepEqual(found(text), expected));
  }
});
