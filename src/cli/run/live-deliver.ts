import { jsonText } from '../../lib/visible.ts';
import type { CycleReport } from '../../outcomes/outcome.ts';
import { deliver } from './deliver.ts';
import { explainError } from '../known-errors.ts';
import type { Say } from '../say.ts';
import { writeOutput } from '../files/output-file.ts';
import type { RunFlags } from './run-flags.ts';
import type { Terminal } from '../terminal.ts';

/** Where reports of cycles go. */
export interface CycleDelivery {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  readonly isLoop: boolean;
  readonly dryRun: boolean;
  readonly say: Say;
}

/** A cycle that came to nothing. Times in ms since the epoch. */
export interface FailedCycle {
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly error: string;
}

/**
 * Prints the report of a cycle; in a loop JSON is one document a line and YAML a stream of documents. A file always holds
 * the report of the last cycle. Throws UserError.
 */
export async function deliverCycle(report: CycleReport, { flags, terminal, isLoop }: CycleDelivery): Promise<void> {
  const { output, outputFile } = flags;
  if (!isLoop || output === 'table' || output === 'markdown' || output === 'html') {
    await deliver(report, flags, terminal);
    return;
  }
  const { reportDocument } = await import('../../report/document.ts');
  await print(reportDocument(report), { output, outputFile }, terminal);
}

/** Says why a cycle of a loop failed where documents are printed. */
export async function deliverFailure(failed: FailedCycle, delivery: CycleDelivery): Promise<void> {
  const { flags, terminal, say, dryRun } = delivery;
  const { output, outputFile } = flags;
  if (output !== 'json' && output !== 'yaml') return;
  const document = {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'DeschedulingReport',
    dryRun,
    startedAt: new Date(failed.startedAt).toISOString(),
    finishedAt: new Date(failed.finishedAt).toISOString(),
    error: failed.error,
    evictions: [],
    refusals: [],
    strategies: [],
    warnings: [],
    summary: { ...NOTHING, cutByLimits: [], complete: false, incompleteBecause: failed.error },
  };
  try {
    await print(document, { output, outputFile }, terminal);
  } catch (error) {
    const { message, defect } = explainError(error);
    say.error(message, defect);
  }
}

const NOTHING = { evicted: 0, refused: 0, failed: 0, gone: 0, uncertain: 0 };

interface ReportTarget {
  readonly output: 'json' | 'yaml';
  readonly outputFile: string | undefined;
}

async function print(document: object, { output, outputFile }: ReportTarget, terminal: Terminal): Promise<void> {
  const text = output === 'json' ? `${jsonText(document)}\n` : `---\n${await yamlOf(document)}`;
  await writeOutput(text, outputFile, terminal);
}

async function yamlOf(document: object): Promise<string> {
  const { yamlText } = await import('../../findings/yaml-text.ts');
  return yamlText(document);
}
