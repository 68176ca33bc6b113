import { demoCluster } from '../../demo/source.ts';
import { DEFAULT_POLICY } from '../../demo/policy.ts';
import { deliver, type Delivery } from '../run/deliver.ts';
import { dryRunCycle } from '../run/dry-run.ts';
import { checkOutputFile } from '../files/output-file.ts';
import { checkedPolicy } from '../policy/policy-file.ts';
import type { Terminal } from '../terminal.ts';

/** Runs the demo and prints its report; answers with the exit code. */
export async function runDemo(delivery: Delivery, terminal: Terminal): Promise<number> {
  await checkOutputFile(delivery.outputFile);
  const policy = checkedPolicy({ file: 'built-in policy', text: DEFAULT_POLICY }, { ignoreUnknownKeys: false });
  const observe = (): void => undefined;
  const report = await dryRunCycle({ policy, cluster: demoCluster, observe, signal: terminal.signal });
  await deliver(report, delivery, terminal);
  return 0;
}
