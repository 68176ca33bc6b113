'use strict';
// Mocha's spec reporter. It adds how many rows of each table of the specification hold, which suites were left out for the
// want of what they need (test/suites.ts), and closes with one line that machines read: `N passed, N failed`.
const Mocha = require('mocha');

/** `RD-F1 three in ns dev` is row F1 of table RD; `framework D12 a pod` is row 12 of table D of that document. */
const ROW = /^(?:((?:framework|node-lifecycle) [A-Z]{1,5})\d|([A-Z]{1,5})-[A-Z]?\d)/;

module.exports = class Summary extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    this.tables = new Map();
    runner.on('pass', (test) => this.count(test, 'passed'));
    runner.on('fail', (test) => this.count(test, 'failed'));
  }

  count(test, how) {
    const [, named, table = named] = ROW.exec(test.title) ?? [];
    if (table === undefined) return;
    const counts = this.tables.get(table) ?? { passed: 0, failed: 0 };
    counts[how]++;
    this.tables.set(table, counts);
  }

  epilogue() {
    super.epilogue();
    const rows = [...this.tables].sort(([a], [b]) => (a < b ? -1 : 1));
    const held = rows.map(([table, { passed, failed }]) => `${table} ${passed} of ${passed + failed}`);
    print('Rows that hold, by table', held);
    const leftOut = globalThis[Symbol.for('evenkeel.leftOut')] ?? new Map();
    const suites = [...leftOut].sort(([a], [b]) => (a < b ? -1 : 1)).map(([group, tests]) => `${group} (${tests})`);
    print('Suites left out', suites);
    const { passes, failures } = this.stats;
    process.stdout.write(`${passes} passed, ${failures} failed\n`);
  }
};

function print(title, parts) {
  if (parts.length > 0) process.stdout.write(`${title}: ${parts.join(', ')}\n`);
}
