import assert from 'node:assert/strict';
import { strategies } from '../../src/strategies/registry.ts';
import { UNCONFIGURED_EVICTOR } from '../../src/evictor/constraints/args.ts';
import { plugins } from '../../src/policy/plugins.ts';
import { EXTENSION_POINTS } from '../../src/policy/v1alpha2.ts';
import { checkedArgs, found, loaded, outline, policyText } from './policy-text.ts';

const duplicates = { name: 'p', plugins: { balance: { enabled: ['RemoveDuplicates'] } } };

/** Findings of a policy with the given fields besides a good profile. */
function beside(fields: object): readonly string[] {
  return found(
    JSON.stringify({
      apiVersion: 'descheduler/v1alpha2',
      kind: 'DeschedulerPolicy',
      profiles: [duplicates],
      ...fields,
    }),
  );
}

/** Findings of a policy whose only profile is given. */
function profile(fields: object): readonly string[] {
  return found(
    JSON.stringify({
      apiVersion: 'descheduler/v1alpha2',
      kind: 'DeschedulerPolicy',
      profiles: [{ name: 'p', ...fields }],
    }),
  );
}

describe('loading a policy', () => {
  it('of two entries for one plugin the first counts', () => {
    const restarts = (podRestartThreshold: number) => ({
      name: 'RemovePodsHavingTooManyRestarts',
      args: { podRestartThreshold },
    });
    const fit = (nodeFit: boolean) => ({ name: 'DefaultEvictor', args: { nodeFit } });
    const { profiles } = loaded(
      policyText({
        profiles: [
          {
            name: 'p',
            pluginConfig: [fit(true), restarts(1), restarts(2), fit(false)],
            plugins: { deschedule: { enabled: ['RemovePodsHavingTooManyRestarts'] } },
          },
        ],
      }),
    );
    const [profile] = profiles;
    assert.equal(profile?.evictor.nodeFit, true);
    assert.deepEqual(profile.deschedule[0]?.args, checkedArgs('RemovePodsHavingTooManyRestarts', restarts(1).args));
  });

  it('framework P1 legacy flags, nodeFit and a strategy; reference: threshold filled with 2000000000, ours: unset means that', () => {
    const args = {
      evictSystemCriticalPods: true,
      evictFailedBarePods: true,
      evictLocalStoragePods: true,
      evictDaemonSetPods: true,
      nodeFit: true,
    };
    const policy = loaded(
      policyText({
        profiles: [
          {
            name: 'p',
            pluginConfig: [
              { name: 'DefaultEvictor', args },
              { name: 'RemovePodsHavingTooManyRestarts', args: { podRestartThreshold: 100 } },
            ],
            plugins: { deschedule: { enabled: ['RemovePodsHavingTooManyRestarts'] } },
          },
        ],
      }),
    );
    assert.deepEqual(policy.profiles[0]?.evictor, {
      ...UNCONFIGURED_EVICTOR,
      nodeFit: true,
      protections: new Set(),
      legacyFlags: true,
    });
    assert.deepEqual(policy.profiles.map(outline), [
      {
        name: 'p',
        deschedule: [{ RemovePodsHavingTooManyRestarts: { podRestartThreshold: 100, includingInitContainers: false } }],
        balance: [],
      },
    ]);
  });

  it('framework P14 an entry without args gets the defaults; an absent evictor is the unconfigured one', () => {
    const policy = loaded(
      policyText({
        profiles: [
          {
            name: 'p',
            pluginConfig: [{ name: 'RemoveFailedPods' }],
            plugins: { deschedule: { enabled: ['RemoveFailedPods'] } },
          },
        ],
      }),
    );
    assert.deepEqual(policy.profiles.map(outline), [
      {
        name: 'p',
        deschedule: [{ RemoveFailedPods: { minPodLifetimeSeconds: 3600, includingInitContainers: false } }],
        balance: [],
      },
    ]);
    assert.deepEqual(policy.profiles[0]?.evictor, UNCONFIGURED_EVICTOR);
  });

  it('reads every setting of the top level', () => {
    const policy = loaded(
      policyText({
        metadata: { name: 'mine', anything: [1] },
        nodeSelector: 'pool=batch,!gpu',
        maxNoOfPodsToEvictPerNode: 0,
        maxNoOfPodsToEvictPerNamespace: 2,
        maxNoOfPodsToEvictTotal: 3,
        evictionFailureEventNotification: true,
        gracePeriodSeconds: 0,
        metricsCollector: { enabled: true },
        profiles: null,
      }),
    );
    assert.deepEqual(policy, {
      nodeSelector: [
        { key: 'pool', operator: 'In', values: ['batch'] },
        { key: 'gpu', operator: 'DoesNotExist', values: [] },
      ],
      limits: { total: 3, node: 0, namespace: 2 },
      evictionFailureEventNotification: true,
      gracePeriodSeconds: 0,
      metricsProviders: [{ source: 'KubernetesMetrics', url: undefined, authSecret: undefined }],
      profiles: [],
    });
  });

  it('keeps the order of profiles and of strategies, and runs a plugin twice that is listed twice', () => {
    const text = policyText({
      profiles: [
        {
          name: 'b',
          plugins: {
            deschedule: { enabled: ['RemoveFailedPods', 'RemovePodsViolatingNodeTaints', 'RemoveFailedPods'] },
          },
        },
        { name: 'a', plugins: { balance: { enabled: ['RemoveDuplicates'] } } },
      ],
    });
    const names = loaded(text).profiles.map(({ name, deschedule, balance }) => [
      name,
      ...[...deschedule, ...balance].map(({ strategy }) => strategy.name),
    ]);
    assert.deepEqual(names, [
      ['b', 'RemoveFailedPods', 'RemovePodsViolatingNodeTaints', 'RemoveFailedPods'],
      ['a', 'RemoveDuplicates'],
    ]);
  });
});

describe('framework F5 capability by extension point', () => {
  it('filters are DefaultEvictor, sorting points nobody, the others the strategies that say so', () => {
    const at = (point: string) =>
      strategies.filter(({ extensionPoint }) => extensionPoint === point).map(({ name }) => name);
    const able = EXTENSION_POINTS.map((point) => [
      point,
      [...plugins.values()].filter(({ points }) => points.includes(point)).map(({ name }) => name),
    ]);
    assert.deepEqual(Object.fromEntries(able), {
      presort: [],
      sort: [],
      filter: ['DefaultEvictor'],
      preevictionfilter: ['DefaultEvictor'],
      preEvictionFilter: ['DefaultEvictor'],
      deschedule: at('deschedule'),
      balance: at('balance'),
    });
  });
});

describe('the document of a policy', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'an empty text',
      '',
      ['error empty 1 : there is nothing in it (write the document into it, or give the path of another file)'],
    ],
    [
      'comments only',
      '# nothing\n',
      ['error empty 1 : there is nothing in it (write the document into it, or give the path of another file)'],
    ],
    [
      'text that is no map',
      'hello',
      ['error wrong-type 1 : a policy is a map of keys, such as apiVersion and profiles; this is not'],
    ],
    [
      'a packed or binary file',
      'apiVersion: descheduler/v1alpha2\n\u001f\ufffd',
      [
        'error not-yaml 2 : not text: it has the character U+001F (it may be packed, binary or UTF-16; save it as UTF-8 text)',
      ],
    ],
    [
      'something else altogether: one finding, not one for every key',
      '{"name": "web", "version": "1.0.0"}',
      [
        'error wrong-kind 1 : this is not a DeschedulerPolicy: none of its keys belongs to one (a policy begins with apiVersion: descheduler/v1alpha2 and kind: DeschedulerPolicy)',
      ],
    ],
    [
      'the values of a chart',
      'schedule: "*/2 * * * *"\ndeschedulerPolicy:\n  profiles: []\n',
      [
        "error wrong-kind 1 : this is not a DeschedulerPolicy: none of its keys belongs to one; it seems to be the values of the descheduler's Helm chart (the policy is the part under deschedulerPolicy: give that as a file of its own, with apiVersion and kind)",
      ],
    ],
    [
      'not YAML',
      'apiVersion: [\n',
      [
        'error not-yaml 2 : not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
    ],
    [
      'no version',
      'kind: DeschedulerPolicy\nstrategies:\n  RemoveDuplicates: {enabled: true}\n',
      [
        'error unknown-version 1 : there is no apiVersion; known are descheduler/v1alpha1 and descheduler/v1alpha2 (by its keys it seems to be apiVersion: descheduler/v1alpha1)',
      ],
    ],
    [
      'neither version nor kind',
      'profiles: [{name: p, plugins: {balance: {enabled: [RemoveDuplicates]}}}]\n',
      [
        'error unknown-version 1 : there is no apiVersion; known are descheduler/v1alpha1 and descheduler/v1alpha2 (by its keys it seems to be apiVersion: descheduler/v1alpha2)',
      ],
    ],
    [
      'another kind',
      'apiVersion: descheduler/v1alpha2\nkind: Policy\n',
      ['error wrong-kind 2 kind: the kind must be DeschedulerPolicy, not "Policy" (write kind: DeschedulerPolicy)'],
    ],
    [
      'the ConfigMap around it',
      'apiVersion: v1\nkind: ConfigMap\ndata:\n  policy.yaml: |\n    kind: DeschedulerPolicy\n',
      [
        'error wrong-kind 2 kind: the kind must be DeschedulerPolicy, not "ConfigMap" (the policy is the text under data["policy.yaml"]: give that as a file of its own)',
        'error unknown-version 5 data.policy.yaml: there is no apiVersion; known are descheduler/v1alpha1 and descheduler/v1alpha2 (by its keys it seems to be apiVersion: descheduler/v1alpha2)',
      ],
    ],
    [
      'two documents',
      'apiVersion: descheduler/v1alpha2\nprofiles: [{name: p, plugins: {balance: {enabled: [RemoveDuplicates]}}}]\n---\nkind: DeschedulerPolicy\n',
      [
        'error several-documents 3 : a second document starts here; only one is read (keep one document in the file: remove the line --- and what follows it, or what precedes it)',
      ],
    ],
    [
      'a key twice, deep inside',
      'apiVersion: descheduler/v1alpha2\nprofiles:\n- name: a\n  plugins: {balance: {enabled: [RemoveDuplicates]}}\n  name: b\n',
      ['error duplicate-key 5 profiles[0].name: the key "name" is given twice (first given on line 3)'],
    ],
    [
      'a requirement of a selector, on its own line',
      `apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- pluginConfig:
  - name: PodLifeTime
    args:
      maxPodLifeTimeSeconds: 1
      labelSelector:
        matchExpressions:
        - {key: tier, operator: Exists}
        - key: app
          operator: Near
          values: [web]
  plugins: {deschedule: {enabled: [PodLifeTime]}}
`,
      [
        'error not-allowed 12 profiles[0].pluginConfig[0].args.labelSelector.matchExpressions[1].operator: operator "Near" on "app" is not one of In, NotIn, Exists, DoesNotExist',
      ],
    ],
    [
      'a policy that enables nothing',
      'apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n',
      [
        'warning nothing-enabled 1 profiles: no strategy is enabled (list strategies under plugins.deschedule.enabled or plugins.balance.enabled of a profile)',
      ],
    ],
  ];
  for (const [title, text, expected] of rows) it(title, () => assert.deepEqual(found(text), expected));

  it('kind may be missing, an empty second document too', () => {
    const text =
      'apiVersion: descheduler/v1alpha2\nprofiles: [{name: p, plugins: {balance: {enabled: [RemoveDuplicates]}}}]\n---\n';
    assert.deepEqual(found(text), []);
  });

  it('anchors, merge keys, tabs in JSON and the booleans of YAML 1.1 are read', () => {
    const text = [
      'apiVersion: descheduler/v1alpha2',
      'profiles:',
      '- name: a',
      '  pluginConfig:',
      '  - name: DefaultEvictor',
      '    args: &evictor {nodeFit: yes}',
      '  plugins: {balance: {enabled: [RemoveDuplicates]}}',
      '- name: b',
      '  pluginConfig:',
      '  - name: DefaultEvictor',
      '    args:',
      '      <<: *evictor',
      '      minReplicas: 2',
    ].join('\n');
    assert.deepEqual(
      loaded(text).profiles.map(({ evictor }) => [evictor.nodeFit, evictor.minReplicas]),
      [
        [true, 0],
        [true, 2],
      ],
    );
    assert.deepEqual(found('\ufeffapiVersion: descheduler/v1alpha2\n').length, 1);
    assert.deepEqual(found('{\n\t"apiVersion": "descheduler/v1alpha2",\n\t"profiles": [\n\t]\n}').length, 1);
  });
});

describe('unknown keys', () => {
  const rows: readonly (readonly [string, () => readonly string[], readonly string[]])[] = [
    [
      'a misspelt limit',
      () => beside({ maxNoOfPodsToEvictPerNodes: 1 }),
      ['error unknown-key 1 maxNoOfPodsToEvictPerNodes: unknown key (did you mean "maxNoOfPodsToEvictPerNode"?)'],
    ],
    [
      'an evict flag at the top',
      () => beside({ evictLocalStoragePods: true }),
      [
        'error unknown-key 1 evictLocalStoragePods: unknown key ("evictLocalStoragePods" is legal in the args of DefaultEvictor)',
      ],
    ],
    [
      'a misspelt evict flag at the top',
      () => beside({ evictLocalStorage: true }),
      [
        'error unknown-key 1 evictLocalStorage: unknown key (did you mean "evictLocalStoragePods"? It is legal in the args of DefaultEvictor)',
      ],
    ],
    [
      'strategies of the old format',
      () => beside({ strategies: {} }),
      [
        'error unknown-key 1 strategies: unknown key ("strategies" is the old format, descheduler/v1alpha1: evenkeel policy migrate turns a policy of that version into profiles)',
      ],
    ],
    [
      'an argument of another plugin',
      () =>
        profile({
          ...duplicates,
          pluginConfig: [{ name: 'RemovePodsViolatingNodeTaints', args: { nodeAffinityType: [] } }],
        }),
      [
        'error unknown-key 1 profiles[0].pluginConfig[0].args.nodeAffinityType: unknown key ("nodeAffinityType" is legal in the args of RemovePodsViolatingNodeAffinity)',
      ],
    ],
    [
      'arguments one level too high',
      () => profile({ ...duplicates, pluginConfig: [{ name: 'RemoveDuplicates', excludeOwnerKinds: [] }] }),
      [
        'error unknown-key 1 profiles[0].pluginConfig[0].excludeOwnerKinds: unknown key ("excludeOwnerKinds" is legal in the args of RemoveDuplicates; in the args of RemoveFailedPods)',
      ],
    ],
    [
      'namespaces one level too deep',
      () =>
        profile({
          ...duplicates,
          pluginConfig: [
            {
              name: 'HighNodeUtilization',
              args: { thresholds: { cpu: 20 }, evictableNamespaces: { namespaces: { exclude: ['a'] } } },
            },
          ],
        }),
      [
        'error unknown-key 1 profiles[0].pluginConfig[0].args.evictableNamespaces.namespaces: unknown key (leave out "namespaces" and put "exclude" in its place)',
      ],
    ],
    [
      'an extension point that does not exist',
      () => profile({ plugins: { ...duplicates.plugins, evictor: { enabled: ['DefaultEvictor'] } } }),
      [
        'error unknown-key 1 profiles[0].plugins.evictor: unknown key (there is no such extension point; the arguments of DefaultEvictor stand in pluginConfig)',
      ],
    ],
    [
      'inside a selector',
      () =>
        profile({
          ...duplicates,
          pluginConfig: [{ name: 'RemoveFailedPods', args: { labelSelector: { matchlabels: {} } } }],
        }),
      [
        'error unknown-key 1 profiles[0].pluginConfig[0].args.labelSelector.matchlabels: unknown key (did you mean "matchLabels"?)',
      ],
    ],
    [
      'apiVersion and kind inside args mean nothing',
      () =>
        profile({ ...duplicates, pluginConfig: [{ name: 'RemoveDuplicates', args: { apiVersion: 'x', kind: 'y' } }] }),
      [],
    ],
    [
      'something that is like nothing: what is known there, once',
      () => profile({ ...duplicates, zebra: 1, giraffe: 2 }),
      [
        'error unknown-key 1 profiles[0].zebra: unknown key (known here: name, pluginConfig, plugins)',
        'error unknown-key 1 profiles[0].giraffe: unknown key',
      ],
    ],
    [
      'an extension point one level too high',
      () => profile({ ...duplicates, balance: { disabled: [] } }),
      ['error unknown-key 1 profiles[0].balance: unknown key ("balance" is legal under profiles.plugins)'],
    ],
  ];
  for (const [title, run, expected] of rows) it(title, () => assert.deepEqual(run(), expected));

  it('are warnings with --ignore-unknown-keys, and the rest of the policy loads', () => {
    const text = policyText({ profiles: [duplicates], maxNoOfPodsToEvictPerNodes: 1 });
    assert.equal(loaded(text, { ignoreUnknownKeys: true }).profiles.length, 1);
    assert.deepEqual(found(text, { ignoreUnknownKeys: true }), [
      'warning ignored-key 16 maxNoOfPodsToEvictPerNodes: unknown key (did you mean "maxNoOfPodsToEvictPerNode"?)',
    ]);
  });
});

describe('plugins of a profile', () => {
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    [
      'both spellings of the second filter point',
      {
        plugins: {
          ...duplicates.plugins,
          preEvictionFilter: { enabled: ['DefaultEvictor'] },
          preevictionfilter: { enabled: ['DefaultEvictor'] },
        },
      },
      [],
    ],
    [
      'a balance plugin under deschedule',
      { plugins: { deschedule: { enabled: ['RemoveDuplicates'] } } },
      [
        'error wrong-extension-point 1 profiles[0].plugins.deschedule.enabled[0]: RemoveDuplicates cannot run under deschedule: it is a balance plugin (move it to plugins.balance.enabled)',
      ],
    ],
    [
      'the evictor among the strategies',
      { plugins: { ...duplicates.plugins, deschedule: { enabled: ['DefaultEvictor'] } } },
      [
        'error wrong-extension-point 1 profiles[0].plugins.deschedule.enabled[0]: DefaultEvictor cannot run under deschedule: it is a filter plugin (move it to plugins.filter.enabled)',
      ],
    ],
    [
      'an unknown name, configured and enabled',
      {
        pluginConfig: [{ name: 'RemoveDuplicate', args: { x: 1 } }],
        plugins: { balance: { enabled: ['RemoveDuplicate'] } },
      },
      [
        'error unknown-plugin 1 profiles[0].pluginConfig[0].name: no plugin is called "RemoveDuplicate" (did you mean "RemoveDuplicates"?)',
        'error unknown-plugin 1 profiles[0].plugins.balance.enabled[0]: no plugin is called "RemoveDuplicate" (did you mean "RemoveDuplicates"?)',
      ],
    ],
    [
      'wrong arguments of a plugin that is not enabled',
      { ...duplicates, pluginConfig: [{ name: 'RemovePodsViolatingNodeAffinity' }] },
      ['error missing 1 profiles[0].pluginConfig[0].args.nodeAffinityType: "nodeAffinityType" is required: a list'],
    ],
    [
      'enabled without an entry, and arguments are needed',
      { plugins: { deschedule: { enabled: ['PodLifeTime'] } } },
      [
        'error missing 1 profiles[0].plugins.deschedule.enabled[0]: PodLifeTime is enabled without arguments: at least one of maxPodLifeTimeSeconds, states, conditions, exitCodes is needed (add an entry with the name PodLifeTime and its args to pluginConfig)',
      ],
    ],
    [
      'two entries of one name',
      {
        ...duplicates,
        pluginConfig: [{ name: 'DefaultEvictor', args: { nodeFit: true } }, { name: 'DefaultEvictor' }],
      },
      [
        'warning duplicate-plugin 1 profiles[0].pluginConfig[1].name: a second entry for DefaultEvictor; the first one counts',
      ],
    ],
    [
      'disabled, sort and presort',
      {
        plugins: {
          balance: { enabled: ['RemoveDuplicates'], disabled: ['LowNodeUtilization'] },
          sort: { enabled: ['x'] },
          presort: { enabled: ['y'], disabled: [] },
        },
      },
      [
        'warning no-effect 1 profiles[0].plugins.balance.disabled: disabled does nothing (a plugin is off unless it is listed under enabled)',
        'warning no-effect 1 profiles[0].plugins.sort: the extension point sort does nothing',
        'warning no-effect 1 profiles[0].plugins.presort: the extension point presort does nothing',
      ],
    ],
    [
      'nulls where lists and maps belong',
      {
        pluginConfig: null,
        plugins: { balance: { enabled: ['RemoveDuplicates'], disabled: null }, sort: null, filter: { enabled: null } },
      },
      [],
    ],
    [
      'minReplicas 1',
      { ...duplicates, pluginConfig: [{ name: 'DefaultEvictor', args: { minReplicas: 1 } }] },
      [
        'warning no-effect 1 profiles[0].pluginConfig[0].args.minReplicas: minReplicas 1 protects nothing: the check is on from 2 on',
      ],
    ],
    [
      'resources that no node has',
      {
        ...duplicates,
        pluginConfig: [
          { name: 'HighNodeUtilization', args: { thresholds: { cpus: 20, 'nvidia.com/gpu': 20, foo: 1 } } },
        ],
      },
      [
        'warning no-effect 1 profiles[0].pluginConfig[0].args.thresholds.cpus: no node offers a resource called "cpus" (did you mean "cpu"?)',
        'warning no-effect 1 profiles[0].pluginConfig[0].args.thresholds.foo: no node offers a resource called "foo"',
      ],
    ],
    [
      'a type of node affinity that does not exist',
      {
        ...duplicates,
        pluginConfig: [
          {
            name: 'RemovePodsViolatingNodeAffinity',
            args: { nodeAffinityType: ['requiredDuringSchedulingRequiredDuringExecution'] },
          },
        ],
      },
      [
        'warning no-effect 1 profiles[0].pluginConfig[0].args.nodeAffinityType[0]: nothing is done for the type "requiredDuringSchedulingRequiredDuringExecution" (did you mean "requiredDuringSchedulingIgnoredDuringExecution"?)',
      ],
    ],
    [
      'wrong types say what is expected',
      { name: 5, pluginConfig: {}, plugins: { balance: { enabled: 'RemoveDuplicates' } } },
      [
        'error wrong-type 1 profiles[0].name: expected text, got 5 (put it in quotes: "5")',
        'error wrong-type 1 profiles[0].pluginConfig: expected a list, got a map of keys',
        'error wrong-type 1 profiles[0].plugins.balance.enabled: expected a list, got the text "RemoveDuplicates" (write it as a list: [RemoveDuplicates])',
      ],
    ],
    [
      'a number in the words of another type: quotes only where they help, no percent sign',
      {
        pluginConfig: [
          { name: 'DefaultEvictor', args: { minPodAge: 5 } },
          { name: 'HighNodeUtilization', args: { thresholds: { cpu: '20%' } } },
        ],
        plugins: { balance: { enabled: ['HighNodeUtilization'] } },
      },
      [
        'error wrong-type 1 profiles[0].pluginConfig[0].args.minPodAge: expected text, got 5 (expected a duration such as 30m or 1h30m, got "5")',
        'error wrong-type 1 profiles[0].pluginConfig[1].args.thresholds.cpu: expected a number from 0 to 100, got the text "20%" (write it without the percent sign: 20)',
      ],
    ],
  ];
  for (const [title, fields, expected] of rows) {
    it(title, () => assert.deepEqual(profile(fields), expected));
  }

  it('profiles of the same name are a warning', () => {
    assert.deepEqual(beside({ profiles: [duplicates, duplicates, { plugins: {} }, {}] }), [
      'warning duplicate-profile 1 profiles[1].name: a second profile is called "p" (reports and metrics cannot tell them apart; give each a name of its own)',
      'warning duplicate-profile 1 profiles[3].name: a second profile without a name (reports and metrics cannot tell them apart; give each a name of its own)',
    ]);
  });
});

describe('settings and metrics providers', () => {
  const secret = (secretReference?: object) => ({
    metricsProviders: [{ source: 'Prometheus', prometheus: { url: 'http://p', authToken: { secretReference } } }],
  });
  const prometheus = (block?: object) => ({ metricsProviders: [{ source: 'Prometheus', prometheus: block }] });
  const kubernetes = { source: 'KubernetesMetrics' };
  const where = 'metricsProviders[0].prometheus';
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    [
      'framework P4 a source twice',
      { metricsProviders: [kubernetes, kubernetes] },
      ['error not-allowed 1 metricsProviders[1].source: a second provider with source KubernetesMetrics'],
    ],
    [
      'framework P5 the collector and the provider',
      { metricsCollector: { enabled: true }, metricsProviders: [kubernetes] },
      [
        'error not-allowed 1 metricsCollector: metricsCollector and a provider with source KubernetesMetrics cannot be combined; keep the provider',
      ],
    ],
    [
      'Prometheus without a block',
      prometheus(),
      ['error not-allowed 1 metricsProviders[0]: source Prometheus needs a prometheus block with a url'],
    ],
    [
      'framework P6 an empty block',
      prometheus({}),
      [`error not-allowed 1 ${where}.url: a prometheus block needs a url`],
    ],
    [
      'a negative port',
      prometheus({ url: 'http://p:-80' }),
      [`error not-allowed 1 ${where}.url: the port of the url is not a number: -80`],
    ],
    ['a bare word passes', prometheus({ url: 'prometheus' }), []],
    [
      'framework P8 a token without a reference',
      secret(),
      [`error missing 1 ${where}.authToken.secretReference: "secretReference" is required: a map of keys`],
    ],
    [
      'framework P9 an empty reference',
      secret({}),
      [`error not-allowed 1 ${where}.authToken.secretReference: secretReference needs a namespace and a name`],
    ],
    [
      'framework P11 a reference without a name',
      secret({ namespace: 'a' }),
      [`error not-allowed 1 ${where}.authToken.secretReference: secretReference needs a namespace and a name`],
    ],
    ['framework P12 a complete reference', secret({ namespace: 'a', name: 'b' }), []],
    [
      'an unknown source',
      { metricsProviders: [{ source: 'prometheus' }] },
      [
        'error not-allowed 1 metricsProviders[0].source: expected one of KubernetesMetrics, Prometheus, got the text "prometheus" (did you mean "Prometheus"?)',
      ],
    ],
    [
      'the deprecated collector',
      { metricsCollector: { enabled: true } },
      [
        'warning deprecated 1 metricsCollector: metricsCollector is deprecated (write a provider: {source: KubernetesMetrics})',
      ],
    ],
    [
      'a negative grace period',
      { gracePeriodSeconds: -1 },
      ['error out-of-range 1 gracePeriodSeconds: expected a whole number ≥ 0, got -1'],
    ],
    [
      'a negative limit',
      { maxNoOfPodsToEvictTotal: -1 },
      ['error out-of-range 1 maxNoOfPodsToEvictTotal: expected a whole number ≥ 0, got -1'],
    ],
    [
      'half an eviction',
      { maxNoOfPodsToEvictTotal: 0.5 },
      ['error wrong-type 1 maxNoOfPodsToEvictTotal: expected a whole number ≥ 0, got 0.5'],
    ],
    [
      'a number in quotes',
      { maxNoOfPodsToEvictTotal: '5' },
      [
        'error wrong-type 1 maxNoOfPodsToEvictTotal: expected a whole number ≥ 0, got the text "5" (write it without quotes: 5)',
      ],
    ],
  ];
  for (const [title, fields, expected] of rows) it(title, () => assert.deepEqual(beside(fields), expected));

  it('measured usage without a provider is a warning', () => {
    const thresholds = { cpu: 20 };
    const args = { thresholds, targetThresholds: thresholds, metricsUtilization: { source: 'KubernetesMetrics' } };
    assert.deepEqual(profile({ ...duplicates, pluginConfig: [{ name: 'LowNodeUtilization', args }] }), [
      'warning missing 1 profiles[0].pluginConfig[0].args.metricsUtilization.source: no provider has the source KubernetesMetrics, so there will be no usage to read (add {source: KubernetesMetrics} to metricsProviders)',
    ]);
  });

  it('all findings come at once, in the order of the text', () => {
    const text = [
      'apiVersion: descheduler/v1alpha3',
      'maxNoOfPodsToEvictTotal: -1',
      'maxPods: 1',
      'profiles:',
      '- name: a',
      '  pluginConfig:',
      '  - name: RemovePodsHavingTooManyRestarts',
      '    args: {podRestartThreshold: 0, state: []}',
      '  plugins: {deschedule: {enabled: [RemoveDuplicates]}}',
    ].join('\n');
    assert.deepEqual(
      found(text).map((line) => line.split(' ').slice(0, 4).join(' ')),
      [
        'error unknown-version 1 apiVersion:',
        'error out-of-range 2 maxNoOfPodsToEvictTotal:',
        'error unknown-key 3 maxPods:',
        'error out-of-range 8 profiles[0].pluginConfig[0].args.podRestartThreshold:',
        'error unknown-key 8 profiles[0].pluginConfig[0].args.state:',
        'error wrong-extension-point 9 profiles[0].plugins.deschedule.enabled[0]:',
      ],
    );
  });
});
