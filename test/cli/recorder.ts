import type { Terminal } from '../../src/cli/terminal.ts';

/** A terminal that keeps what it is told, 80 columns without colours; `parts` change it. */
export function recorder(parts: Partial<Terminal> = {}): {
  readonly terminal: Terminal;
  readonly printed: () => string;
  readonly complained: () => string;
} {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    drained: () => Promise.resolve(),
    err: (text) => void err.push(text),
    width: 80,
    colors: false,
    showsProgress: false,
    watch: () => undefined,
    signal: new AbortController().signal,
    env: {},
    nodeVersion: 'v20.19.0',
    ...parts,
  };
  return { terminal, printed: () => out.join(''), complained: () => err.join('') };
}
