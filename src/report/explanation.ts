import picocolors from 'picocolors';
import { yamlText } from '../findings/yaml-text.ts';
import { jsonText, visibleData } from '../lib/visible.ts';
import type { ConstraintVerdict, NodeAnswer, NodeExplanation, PodExplanation } from '../outcomes/explanation.ts';
import { hintFor } from './hints.ts';
import type { Canvas } from './table.ts';
import { hanging } from './text.ts';
import { count, factOf } from './words.ts';

type Pen = ReturnType<typeof picocolors.createColors>;
type Sheet = Canvas & { readonly pen: Pen };

/** Nodes that do not fit are summed up beyond this number, so that a large cluster stays readable. */
const MOST_NODES = 12;

/** The explanation for a person at a terminal; 80 columns are enough. */
export function renderExplanation(given: PodExplanation | NodeExplanation, canvas: Canvas): string {
  const explanation = visibleData(given);
  const sheet = { ...canvas, pen: picocolors.createColors(canvas.colors) };
  const blocks = explanation.kind === 'PodExplanation' ? podBlocks(explanation, sheet) : nodeBlocks(explanation, sheet);
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function podBlocks(it: PodExplanation, sheet: Sheet): readonly string[] {
  const facts = [
    ['Pod', `${it.namespace}/${it.pod}${it.owner === '' ? ', without owner' : ` of ${it.owner}`}`],
    ['On', it.node === '' ? 'no node' : it.node],
    ['Phase', it.phase],
    ['Time', it.source.now],
  ];
  return [
    facts.map(([label = '', text = '']) => hanging(label.padEnd(9), text, sheet.width)).join('\n'),
    verdictBlock(it, sheet),
    strategyBlock(it, sheet),
    constraintBlock(it.constraints, sheet),
    nodeBlock(it, sheet),
    taintBlock(it, sheet),
    list('Notes', it.notes, sheet),
  ];
}

function verdictBlock(it: PodExplanation, { pen, width }: Sheet): string {
  const going = it.strategies.find(({ answer }) => answer === 'evict');
  if (going)
    return pen.bold(
      hanging('', `Would be evicted by ${going.strategy}: the pod ${factOf(going.reason ?? '')}.`, width),
    );
  const kept = it.strategies.find(({ answer }) => answer === 'refuse');
  if (kept)
    return pen.bold(
      hanging(
        '',
        `Kept: ${kept.strategy} selects it, ${kept.by ?? ''} keeps it: the pod ${factOf(kept.reason ?? '')}.`,
        width,
      ),
    );
  return pen.bold(hanging('', 'Kept: no strategy of this policy selects it.', width));
}

function strategyBlock({ strategies }: PodExplanation, { pen, width }: Sheet): string {
  const words = { evict: pen.yellow('evict '), refuse: pen.red('refuse'), pass: pen.dim('pass  ') };
  const lines = strategies.flatMap(({ strategy, answer, by, reason }) => {
    const head = `  ${words[answer]}  ${strategy}${by === undefined || by === strategy ? '' : `, by ${by}`}`;
    return reason === undefined ? [head] : [head, hanging('          ', factOf(reason), width)];
  });
  return lines.length === 0 ? 'No strategy ran.' : [pen.bold('Strategies'), ...lines].join('\n');
}

function constraintBlock(constraints: readonly ConstraintVerdict[], { pen, width }: Sheet): string {
  const words = { allow: pen.green('allow '), refuse: pen.red('refuse'), lifted: pen.yellow('lifted') };
  const profiles = new Set(constraints.map(({ profile }) => profile));
  const lines = constraints.flatMap(({ profile, name, answer, reason }) => {
    const head = `  ${words[answer]}  ${name}${profiles.size > 1 ? pen.dim(` (profile ${profile})`) : ''}`;
    const hint = answer === 'refuse' ? hintFor(name) : undefined;
    return [
      head,
      ...(reason === undefined ? [] : [hanging('          ', factOf(reason), width)]),
      ...(answer === 'lifted' ? ["          lifted by the pod's evict annotation"] : []),
      ...(hint === undefined ? [] : [hanging('          setting: ', hint, width)]),
    ];
  });
  return lines.length === 0 ? '' : [pen.bold('Constraints'), ...lines].join('\n');
}

function nodeBlock(it: PodExplanation, sheet: Sheet): string {
  const fitting = it.nodes.filter(({ fits, own }) => fits && !own).length;
  const others = it.nodes.filter(({ own }) => !own).length;
  const likely = it.likelyNodes.length === 0 ? '' : `; likely ${firstOf(it.likelyNodes)}`;
  const title = sheet.pen.bold('Nodes') + `: fits on ${fitting} of ${count(others, 'other node')}${likely}`;
  const ordered = [...it.nodes.filter(({ fits }) => fits), ...it.nodes.filter(({ fits }) => !fits)];
  const shown = ordered.slice(0, MOST_NODES).map((node) => nodeLine(node, sheet));
  const rest = ordered.length - shown.length;
  return [
    title,
    ...shown,
    ...(rest > 0 ? [`  and ${count(rest, 'further node')}: -o json lists every node`] : []),
  ].join('\n');
}

function nodeLine({ node, own, ready, fits, misfits, score }: NodeAnswer, { pen, width }: Sheet): string {
  const marks = [
    own ? 'its own' : '',
    ready ? '' : 'not ready',
    score === undefined ? '' : `score ${Math.round(score)}`,
  ];
  const note = marks.filter((mark) => mark !== '').join(', ');
  const head = `  ${fits ? pen.green('fits  ') : pen.red('no    ')}  ${node}${note === '' ? '' : pen.dim(` (${note})`)}`;
  if (fits) return head;
  return [head, hanging('          ', misfits.map(({ code, text }) => `${code}: ${text}`).join('; '), width)].join(
    '\n',
  );
}

function taintBlock({ taints }: PodExplanation, { pen, width }: Sheet): string {
  const lines = taints.map(({ taint, present, tolerated, goes }) => {
    const head = present ? `${taint}, on its node` : `${taint}, if its node had it`;
    return [`  ${head}`, hanging('          ', `tolerated ${tolerated}; goes ${goes}`, width)].join('\n');
  });
  return [pen.bold('NoExecute taints'), ...lines].join('\n');
}

function nodeBlocks(it: NodeExplanation, sheet: Sheet): readonly string[] {
  const { pen, width } = sheet;
  const facts = [
    ['Node', `${it.node}, ${it.ready ? 'ready' : 'not ready'}${it.schedulable ? '' : ', cordoned'}`],
    ['Checked', it.looked],
    ['Taints', it.taints.join(', ') || 'none'],
    ['Time', it.source.now],
  ];
  const load = it.load.map(
    ({ resource, used, allocatable, percent }) =>
      `  ${`${percent}%`.padStart(8)}  ${resource === 'cpu' ? 'CPU' : resource}: ${used} of ${allocatable}`,
  );
  const words = { evict: pen.yellow('evict '), refuse: pen.red('refuse'), stay: pen.dim('stay  ') };
  const pods = it.pods.flatMap(({ namespace, pod, answer, by, reason }) => [
    `  ${words[answer]}  ${namespace}/${pod}${by === '' ? '' : `, by ${by}`}`,
    ...(answer === 'stay' ? [] : [hanging('          ', factOf(reason), width)]),
  ]);
  return [
    facts.map(([label = '', text = '']) => hanging(label.padEnd(11), text, width)).join('\n'),
    [pen.bold('Requested'), ...load].join('\n'),
    [pen.bold(`Pods (${it.pods.length})`), ...pods].join('\n'),
    list('Notes', it.notes, sheet),
  ];
}

function list(title: string, texts: readonly string[], { pen, width }: Sheet): string {
  return texts.length === 0 ? '' : [pen.bold(title), ...texts.map((text) => hanging('  - ', text, width))].join('\n');
}

function firstOf(names: readonly string[]): string {
  const more = names.length - 3;
  return names.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The explanation as data, in the form asked for. */
export function explanationDocument(explanation: PodExplanation | NodeExplanation, format: 'json' | 'yaml'): string {
  const document = { apiVersion: 'evenkeel.io/v1alpha1', ...explanation };
  return format === 'json' ? `${jsonText(document, 2)}\n` : yamlText(document);
}
