import type { ClusterContents } from '../../cluster/snapshot.ts';
import { readScenario } from '../../outage/load-scenario.ts';
import type { Scenario } from '../../outage/scenario.ts';
import { simulateOutage } from '../../outage/simulate.ts';
import type { OutageReport } from '../../outcomes/outage-report.ts';
import type { OutagePage } from '../../report/outage-document.ts';
import { dumpSource } from '../dump-source.ts';
import { changed, type LifecycleSettings } from '../controllers/flags.ts';
import { checkOutputFile, writeOutput } from '../files/output-file.ts';
import { inputName } from '../../lib/open-input.ts';
import { checkStandardInput, readText } from '../files/read-text.ts';
import { withProgress } from '../progress.ts';
import type { Format } from '../render.ts';
import type { Terminal } from '../terminal.ts';

/** The flags of `outage`. */
export interface OutageFlags {
  readonly scenario: string;
  readonly fromDump: readonly string[];
  readonly now?: Date;
  readonly compare?: readonly string[];
  readonly output: Format;
  readonly outputFile?: string;
  readonly settings: LifecycleSettings;
}

/** Plays the scenario, and again for each `--compare`; answers with the exit code. Throws ScenarioError and DumpError. */
export async function runOutage(flags: OutageFlags, terminal: Terminal): Promise<number> {
  await checkOutputFile(flags.outputFile);
  checkStandardInput(flags.scenario, ...flags.fromDump);
  const text = await readText(flags.scenario, { what: 'scenario', kind: 'OutageScenario', signal: terminal.signal });
  const scenario = readScenario({ file: inputName(flags.scenario), text });
  const paths = flags.fromDump;
  const view = await withProgress(`reading ${paths.join(' ')}`, terminal, () =>
    dumpSource({ paths, now: flags.now }, terminal.signal),
  );
  const { nodes, pods, others } = view.snapshot;
  const stage = { contents: { nodes, pods, others }, scenario, now: Date.parse(view.source.now) };
  const report = await play(stage, flags.settings);
  const comparisons: { change: string; report: OutageReport }[] = [];
  for (const change of flags.compare ?? []) {
    comparisons.push({ change, report: await play(stage, changed(flags.settings, change)) });
  }
  const page = { source: view.source, report, comparisons, warnings: view.warnings };
  await print(page, flags, terminal);
  return 0;
}

interface Stage {
  readonly contents: ClusterContents;
  readonly scenario: Scenario;
  readonly now: number;
}

function play({ contents, scenario, now }: Stage, { lifecycle, eviction }: LifecycleSettings): Promise<OutageReport> {
  return simulateOutage(contents, scenario, { now, lifecycle, eviction });
}

async function print(page: OutagePage, { output, outputFile }: OutageFlags, terminal: Terminal): Promise<void> {
  const { renderOutage } = await import('../../report/outage.ts');
  const canvas = outputFile === undefined ? terminal : { width: 80, colors: false };
  const text = renderOutage(page, output, canvas);
  await writeOutput(text, outputFile, terminal);
}
