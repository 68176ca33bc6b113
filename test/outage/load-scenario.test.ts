import assert from 'node:assert/strict';
import { loadScenario, readScenario, ScenarioError } from '../../src/outage/load-scenario.ts';

const HEAD = 'apiVersion: evenkeel.io/v1alpha1\nkind: OutageScenario\nduration: 30m\n';

describe('reading a scenario', () => {
  it('reads every event of the contract', () => {
    const text = `${HEAD}events:
- {at: 0s, stopKubelet: {zone: eu-1a}}
- {at: 5m, startKubelet: {nodes: [n1]}}
- {at: 1m, addTaint: {nodes: [n2], taint: {key: maintenance, effect: NoExecute}}}
- {at: 1m, addTaint: {selector: {a: b}, taint: {key: k, value: v, effect: NoSchedule, timeAdded: "2026-01-01T12:00:00Z"}}}
- {at: 2m, removeTaint: {nodes: [n2], taint: {key: maintenance, effect: NoExecute}}}
- {at: 3m, setCondition: {nodes: [n3], condition: {type: Ready, status: "False"}}}
- {at: 4m, createPod: {metadata: {name: p}}}
- {at: 5m, updatePod: {kind: Pod, metadata: {name: p}}}
- {at: 6m, deletePod: ns/name}
- {at: 7m, createNode: {metadata: {name: n9}}}
- {at: 8m, deleteNode: n3}
- {at: 9m, restartController: {downFor: 30s}}
- {at: 9m30s, restartController: {}}
`;
    const result = loadScenario(text);
    const minutes = (count: number) => count * 60_000;
    assert.deepEqual(result, {
      ok: true,
      scenario: {
        durationMs: minutes(30),
        events: [
          { atMs: 0, happening: { kind: 'stopKubelet', target: { zone: 'eu-1a' } } },
          { atMs: minutes(5), happening: { kind: 'startKubelet', target: { nodes: ['n1'] } } },
          {
            atMs: minutes(1),
            happening: {
              kind: 'addTaint',
              target: { nodes: ['n2'] },
              taint: { key: 'maintenance', value: '', effect: 'NoExecute' },
            },
          },
          {
            atMs: minutes(1),
            happening: {
              kind: 'addTaint',
              target: { selector: { a: 'b' } },
              taint: { key: 'k', value: 'v', effect: 'NoSchedule', timeAdded: '2026-01-01T12:00:00Z' },
            },
          },
          {
            atMs: minutes(2),
            happening: {
              kind: 'removeTaint',
              target: { nodes: ['n2'] },
              taint: { key: 'maintenance', effect: 'NoExecute' },
            },
          },
          {
            atMs: minutes(3),
            happening: {
              kind: 'setCondition',
              target: { nodes: ['n3'] },
              condition: { type: 'Ready', status: 'False', reason: '' },
            },
          },
          { atMs: minutes(4), happening: { kind: 'createPod', object: { kind: 'Pod', metadata: { name: 'p' } } } },
          { atMs: minutes(5), happening: { kind: 'updatePod', object: { kind: 'Pod', metadata: { name: 'p' } } } },
          { atMs: minutes(6), happening: { kind: 'deletePod', namespace: 'ns', name: 'name' } },
          { atMs: minutes(7), happening: { kind: 'createNode', object: { kind: 'Node', metadata: { name: 'n9' } } } },
          { atMs: minutes(8), happening: { kind: 'deleteNode', name: 'n3' } },
          { atMs: minutes(9), happening: { kind: 'restartController', downForMs: 30_000 } },
          { atMs: minutes(9.5), happening: { kind: 'restartController', downForMs: 0 } },
        ],
      },
    });
  });

  interface Row {
    readonly text: string;
    /** `line:column path: message [code]`, with the hint behind an arrow. */
    readonly findings: readonly string[];
  }
  const rows: Readonly<Record<string, Row>> = {
    'an empty text': {
      text: '',
      findings: ['1:1 : there is nothing in it [empty] → write the document into it, or give the path of another file'],
    },
    'another kind, no version': {
      text: 'kind: Outage\nduration: 5m\n',
      findings: [
        '1:1 apiVersion: "apiVersion" is required [missing]',
        '1:7 kind: expected "OutageScenario", got "Outage" [not-allowed]',
      ],
    },
    'no duration': {
      text: HEAD.replace(/duration: .*\n/u, ''),
      findings: ['1:1 duration: "duration" is required [missing]'],
    },
    'a duration without a unit': {
      text: HEAD.replace('30m', '30'),
      findings: ['3:11 duration: expected a duration such as 40s, 5m or 1h30m, not negative [not-allowed]'],
    },
    'a negative time': {
      text: `${HEAD}events:\n- {at: -5s, deleteNode: n}\n`,
      findings: ['5:8 events[0].at: expected a duration such as 40s, 5m or 1h30m, not negative [not-allowed]'],
    },
    'a misspelt key': {
      text: `${HEAD}events:\n- {at: 0s, stopKublet: {zone: a}}\n`,
      findings: ['5:12 events[0].stopKublet: unknown key "stopKublet" [unknown-key] → did you mean "stopKubelet"?'],
    },
    'an event in which nothing happens': {
      text: `${HEAD}events:\n- {at: 0s}\n`,
      findings: [
        '5:3 events[0]: nothing happens: expected one of stopKubelet, startKubelet, addTaint, removeTaint, setCondition, createPod, updatePod, deletePod, createNode, deleteNode, restartController [not-allowed]',
      ],
    },
    'two things at once': {
      text: `${HEAD}events:\n- {at: 0s, deleteNode: n, deletePod: a/b}\n`,
      findings: ['5:3 events[0]: expected one thing to happen [not-allowed]'],
    },
    'no target, and two': {
      text: `${HEAD}events:\n- {at: 0s, stopKubelet: {}}\n- {at: 0s, stopKubelet: {zone: a, nodes: [b]}}\n`,
      findings: [
        '5:25 events[0].stopKubelet: expected one of nodes, zone, selector, to say which nodes [not-allowed]',
        '6:25 events[1].stopKubelet: expected one of nodes, zone, selector, to say which nodes [not-allowed]',
      ],
    },
    'an effect that does not exist': {
      text: `${HEAD}events:\n- {at: 0s, addTaint: {zone: a, taint: {key: k, effect: NoExecut}}}\n`,
      findings: [
        '5:56 events[0].addTaint.taint.effect: expected "NoSchedule", "PreferNoSchedule", "NoExecute", got "NoExecut" [not-allowed] → did you mean "NoExecute"?',
      ],
    },
    'a status without quotes is a boolean': {
      text: `${HEAD}events:\n- {at: 0s, setCondition: {zone: a, condition: {type: Ready, status: false}}}\n`,
      findings: [
        '5:69 events[0].setCondition.condition.status: expected one of "True", "False", "Unknown", in quotes, got false [not-allowed]',
      ],
    },
    'a pod without a name, a pod that is a node': {
      text: `${HEAD}events:\n- {at: 0s, createPod: {metadata: {}}}\n- {at: 0s, createPod: {kind: Node, metadata: {name: a}}}\n`,
      findings: [
        '5:24 events[0].createPod.metadata.name: "name" is required [missing]',
        '6:30 events[1].createPod.kind: expected "Pod", got "Node" [not-allowed]',
      ],
    },
    'a pod to delete without a namespace': {
      text: `${HEAD}events:\n- {at: 0s, deletePod: name}\n`,
      findings: ['5:23 events[0].deletePod: expected a pod as namespace/name [not-allowed]'],
    },
    'a text that is no YAML': {
      text: 'events: [',
      findings: [
        '1:10 : not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ] [not-yaml]',
      ],
    },
    'a list instead of a map': { text: '- a\n', findings: ['1:1 : expected a map of keys, got a list [wrong-type]'] },
  };
  for (const [name, { text, findings }] of Object.entries(rows)) {
    it(name, () => {
      const result = loadScenario(text);
      const found = result.ok ? [] : result.findings;
      const lines = found.map(({ line, column, path, message, code, hint }) => {
        return `${line}:${column} ${path}: ${message} [${code}]${hint === undefined ? '' : ` → ${hint}`}`;
      });
      assert.deepEqual(lines, findings);
    });
  }

  it('throws all findings at once for those who end on them', () => {
    const text = `${HEAD}events:\n- {at: soon}\n- {at: 0s, deleteNode: 5}\n`;
    assert.throws(
      () => readScenario({ file: 'outage.yaml', text }),
      (error) =>
        error instanceof ScenarioError && error.findings.length === 2 && error.message.includes('outage.yaml:5:8'),
    );
  });
});
