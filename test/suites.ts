/** Where the reporter finds what was left out: the number of tests by group. */
const leftOut = new Map<string, number>();
(globalThis as { [key: symbol]: unknown })[Symbol.for('evenkeel.leftOut')] = leftOut;

/** What a suite needs: `group` names it where tests are left out for the want of it. */
export interface Need {
  readonly group: string;
  readonly isMet: boolean;
}

/** Defines a suite. Where its need is not met it only counts the tests, and the reporter prints their number. */
export function suiteNeeding({ group, isMet }: Need, title: string, body: (this: Mocha.Suite) => void): void {
  const suite = describe(title, body);
  if (isMet) return;
  suite.parent?.suites.splice(suite.parent.suites.indexOf(suite), 1);
  leaveOut(group, suite.total());
}

/** Has the reporter print that so many tests of a group are left out. */
export function leaveOut(group: string, tests: number): void {
  leftOut.set(group, (leftOut.get(group) ?? 0) + tests);
}
