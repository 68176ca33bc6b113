/** The user's connection settings are wrong (exit code 2) or give no credentials (1); `message` says what to do. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What an error of a library says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}
