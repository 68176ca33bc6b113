import { podName, type Pod } from '../../cluster/objects/pod.ts';
import type { Node } from '../../cluster/objects/node.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { ClusterSource, ClusterView } from '../../descheduler/ports.ts';
import type { History } from '../../evictor/limits/history.ts';
import { explainNode } from '../../explain/node.ts';
import { explainPod, type Grounds } from '../../explain/pod.ts';
import { replied } from '../../lib/answer.ts';
import { systemClock } from '../../lib/clock.ts';
import { nearest } from '../../findings/nearest.ts';
import type { NodeExplanation, PodExplanation } from '../../outcomes/explanation.ts';
import { dryRunCycle } from '../run/dry-run.ts';
import { dumpFor } from '../dump-source.ts';
import { checkOutputFile, writeOutput } from '../files/output-file.ts';
import { policyOf, type ReadPolicy } from '../policy/policy-file.ts';
import { checkStandardInput } from '../files/read-text.ts';
import type { ConnectFlags } from '../live-flags.ts';
import type { Terminal } from '../terminal.ts';
import { UserError } from '../session.ts';

/** The flags of `explain`. */
export interface ExplainFlags extends ConnectFlags {
  readonly policyConfigFile?: string;
  readonly fromDump?: readonly string[];
  readonly now?: Date;
  readonly ignoreUnknownKeys?: boolean;
  readonly output: 'table' | 'json' | 'yaml';
  readonly outputFile?: string;
}

/** What is asked about. */
export interface Subject {
  readonly kind: 'pod' | 'node';
  readonly name: string;
}

/**
 * Runs one dry cycle and explains it for one pod or node; answers with the exit code. Throws UserError for a name that
 * the cluster does not have, PolicyError and DumpError for input that is wrong.
 */
export async function explainSubject(subject: Subject, flags: ExplainFlags, terminal: Terminal): Promise<number> {
  await checkOutputFile(flags.outputFile);
  checkStandardInput(flags.policyConfigFile, ...(flags.fromDump ?? []));
  const read = await policyOf(flags, terminal.signal);
  const { view, history } = await groundOf(flags, read, terminal);
  const find = subject.kind === 'pod' ? findPod : findNode;
  find(subject.name, view.snapshot);
  const cluster: ClusterSource = () => Promise.resolve(view);
  const report = await dryRunCycle({
    policy: read,
    cluster,
    observe: () => undefined,
    signal: terminal.signal,
    ...(history && { history }),
  });
  const explanation = explain(subject, { policy: read.policy, snapshot: view.snapshot, report });
  const text = await renderAs(flags, explanation, terminal);
  await writeOutput(text, flags.outputFile, terminal);
  return 0;
}

function explain(subject: Subject, grounds: Grounds): PodExplanation | NodeExplanation {
  return subject.kind === 'pod'
    ? explainPod(findPod(subject.name, grounds.snapshot), grounds)
    : explainNode(findNode(subject.name, grounds.snapshot), grounds);
}

/** A cluster to explain, and what earlier cycles did to it. */
interface Ground {
  readonly view: ClusterView;
  readonly history?: History;
}

/** The cluster of the dump, else the live one, listed once. */
async function groundOf(flags: ExplainFlags, { policy }: ReadPolicy, terminal: Terminal): Promise<Ground> {
  const { fromDump, now } = flags;
  if (fromDump) return { view: await dumpFor(policy, { paths: fromDump, now }, terminal.signal) };
  if (now) throw new UserError('--now goes only with --from-dump: a live cluster has its own clock');
  const { connect } = await import('../connect.ts');
  const { freshCluster } = await import('../../kube/watch/source.ts');
  const { liveHistories } = await import('../run/history.ts');
  const server = connect(flags, terminal);
  try {
    const view = await freshCluster(server, () => ({ clock: systemClock }))(terminal.signal);
    if (!policy.history) return { view };
    const loaded = await liveHistories(server.call, false)(policy).load(terminal.signal);
    if (!loaded.ok) throw new UserError(`the history cannot be read: ${loaded.failure.message}`, 1);
    // It is read before the connection is closed, and only read.
    return { view, history: { load: () => Promise.resolve(loaded), save: () => replied([]) } };
  } finally {
    server.close();
  }
}

function findPod(name: string, snapshot: Snapshot): Pod {
  if (!/^[^/]+\/[^/]+$/u.test(name)) throw new UserError(`"${name}" is not a valid pod; expected NAMESPACE/NAME`);
  const pod = snapshot.pods.find((it) => podName(it) === name);
  if (!pod) throw new UserError(missing('pod', name, snapshot.pods.map(podName)));
  return pod;
}

function findNode(name: string, snapshot: Snapshot): Node {
  const node = snapshot.node(name);
  if (!node)
    throw new UserError(
      missing(
        'node',
        name,
        snapshot.nodes.map((it) => it.name),
      ),
    );
  return node;
}

function missing(kind: string, name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return `the cluster has no ${kind} ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

async function renderAs(
  { output, outputFile }: ExplainFlags,
  explanation: PodExplanation | NodeExplanation,
  terminal: Terminal,
): Promise<string> {
  const { explanationDocument, renderExplanation } = await import('../../report/explanation.ts');
  if (output !== 'table') return explanationDocument(explanation, output);
  return renderExplanation(explanation, outputFile === undefined ? terminal : { width: 80, colors: false });
}
