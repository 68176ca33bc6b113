/** Something the user can put right: shown without a stack; ends the program with exit code 2, or 1 where the machine failed. */
export class UserError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.name = 'UserError';
    this.exitCode = exitCode;
  }
}
