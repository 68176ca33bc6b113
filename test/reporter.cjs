'use strict';
// Mocha's spec reporter, closed by one line that machines read: `N passed, N failed`.
const Mocha = require('mocha');

module.exports = class Summary extends Mocha.reporters.Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures } = this.stats;
    process.stdout.write(`${passes} passed, ${failures} failed\n`);
  }
};
