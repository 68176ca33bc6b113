'use strict';
// Mocha's spec reporter. It adds how many rows of each table of the specification hold, and closes with one line that
// machines read: `N passed, N failed`.
const Mocha = require('mocha');

/** `RD-F1 three in ns dev` is row F1 of table RD; `D12, evictSystemCriticalPods` is row 12 of table D. */
const ROW = /^([A-Z]{1,5})(?:-[A-Z]?\d|\d)/;

module.exports = class Summary extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    this.tables = new Map();
    runner.on('pass', (test) => this.count(test, 'passed'));
    runner.on('fail', (test) => this.count(test, 'failed'));
  }

  count(test, how) {
    const table = ROW.exec(test.title)?.[1];
    if (table === undefined) return;
    const counts = this.tables.get(table) ?? { passed: 0, failed: 0 };
    counts[how]++;
    this.tables.set(table, counts);
  }

  epilogue() {
    super.epilogue();
    const rows = [...this.tables].sort(([a], [b]) => (a < b ? -1 : 1));
    const texts = rows.map(([table, { passed, failed }]) => `${table} ${passed} of ${passed + failed}`);
    if (texts.length > 0) process.stdout.write(`Rows that hold, by table: ${texts.join(', ')}\n`);
    const { passes, failures } = this.stats;
    process.stdout.write(`${passes} passed, ${failures} failed\n`);
  }
};
