// Adds the totals of each test run to the file that TEST_TOTALS names, and what failed or passed only at its second
// try, so that CI can say both last.
import { appendFileSync } from "node:fs";

const isFlaky = (test) => test.diagnostic()?.flaky === true;

export default class TotalsReporter {
  onTestRunEnd(modules, errors) {
    const file = process.env.TEST_TOTALS;
    if (!file) return;
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const remarks = errors.map((error) => `failed: ${error.message}`);
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        counts[state]++;
        if (state === "failed") remarks.push(`failed: ${module.relativeModuleId} > ${test.fullName}`);
        else if (isFlaky(test)) remarks.push(`second try: ${module.relativeModuleId} > ${test.fullName}`);
      }
      if (tests.length === 0 || module.errors().length > 0) {
        counts.failed++;
        remarks.push(`failed: ${module.relativeModuleId}`);
      }
    }
    const lines = [`${counts.passed} ${counts.failed} ${counts.skipped}`, ...remarks.map((remark) => `# ${remark}`)];
    appendFileSync(file, `${lines.join("\n")}\n`);
  }
}
