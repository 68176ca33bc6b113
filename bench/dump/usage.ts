/** What one process has needed, and what it has found, as it prints it. */
export interface Usage {
  readonly nodes: number;
  readonly pods: number;
  readonly seconds: number;
  /** Of all threads; says more than the time on a busy machine. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** Prints time since the start of the process and peak memory as one line of JSON. */
export function reportUsage(nodes: number, pods: number): void {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  const usage: Usage = { nodes, pods, seconds: process.uptime(), cpuSeconds, megabytes: maxRSS / 1024 };
  process.stdout.write(`${JSON.stringify(usage)}\n`);
}
