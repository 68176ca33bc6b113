/** The user's connection settings are wrong (exit code 2) or give no credentials (1); `message` says what to do. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What the system says of a file, in words. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
};

/** What an error of a library says; of one that concerns a file in words, with its path. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', path } = error as NodeJS.ErrnoException;
  const words = FILE_ERRORS[code];
  if (words === undefined) return error.message.trim();
  return path === undefined ? words : `${words} (${path})`;
}
