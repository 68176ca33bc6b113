import { visible } from '../lib/visible.ts';

/**
 * What the user can put right, one thing or several, a line each: shown without a stack; ends the program with exit code 2, or 1
 * where the machine failed.
 */
export class UserError extends Error {
  readonly exitCode: 1 | 2;

  constructor(problems: string | readonly string[], exitCode: 1 | 2 = 2) {
    super([problems].flat().map(visible).join('\nerror: '));
    this.name = 'UserError';
    this.exitCode = exitCode;
  }
}
