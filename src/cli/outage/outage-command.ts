import type { Command } from 'commander';
import { addLifecycleFlags, changed, lifecycleSettings } from '../controllers/flags.ts';
import type { OutageFlags } from './outage.ts';
import type { Session } from '../session.ts';
import { collect, outputFileOption, outputOption, parseNow, parsePath } from '../values.ts';

/** Adds `outage`: what would happen, played on a recorded cluster in virtual time. */
export function addOutage(root: Command, session: Session): void {
  const outage = root
    .command('outage')
    .description(
      'simulates an outage on a recorded cluster in virtual time: which pods would be deleted when, and which are kept',
    )
    .requiredOption('--scenario <file>', 'the OutageScenario', parsePath)
    .requiredOption('--from-dump <path...>', 'recorded cluster, files or folders; - is standard input', collect)
    .option('--now <time>', 'RFC 3339; what time it is when the scenario begins', parseNow)
    .option('--compare <flag=value>', 'also play it with this flag changed; may be repeated', compare)
    .addOption(outputOption())
    .addOption(outputFileOption());
  addLifecycleFlags(outage);
  outage.action(async () => {
    const { runOutage } = await import('./outage.ts');
    const settings = lifecycleSettings(outage.opts());
    await session.finish(runOutage({ ...outage.opts<OutageFlags>(), settings }, session.terminal));
  });
}

/** Checks each value as it comes, so that a wrong one is refused with the name of its flag. */
function compare(value: string, earlier: readonly string[] | undefined): readonly string[] {
  changed({ lifecycle: {}, eviction: {} }, value);
  return [...(earlier ?? []), value];
}
