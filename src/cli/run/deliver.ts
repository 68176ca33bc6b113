import { incompleteBecause } from '../../outcomes/completeness.ts';
import type { CycleReport } from '../../outcomes/outcome.ts';
import { writeOutput } from '../files/output-file.ts';
import { render, type Format } from '../render.ts';
import type { Terminal } from '../terminal.ts';

/** Where a report goes, and in which form. */
export interface Delivery {
  readonly output: Format;
  readonly outputFile?: string;
}

/** Prints the report, or writes it into the file asked for, without colours. Throws UserError where that fails. */
export async function deliver(report: CycleReport, delivery: Delivery, terminal: Terminal): Promise<void> {
  const { output, outputFile } = delivery;
  const canvas = outputFile === undefined ? terminal : { width: 80, colors: false };
  await writeOutput(await render(report, output, canvas), outputFile, terminal);
}

/** Says where a report does not tell all that there is to do; it must not look finished to whoever reads only the log. */
export function tellIncomplete(report: CycleReport, tell: (message: string) => void): void {
  const because = incompleteBecause(report);
  if (because !== undefined) tell(`INCOMPLETE: ${because}`);
}
