import type { Finding } from './finding.ts';
import type { Document } from './format.ts';
import { formatFindings } from './format.ts';

/** The user's input is wrong: all findings at once. Shown without a stack; the program ends with exit code 2. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[], document: Document) {
    super(formatFindings(findings, document));
    this.findings = findings;
  }
}
