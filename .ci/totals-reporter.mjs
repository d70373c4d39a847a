// Adds the totals of each test run to the file that TEST_TOTALS names, so CI can show them last. Also adds each test
// that failed or passed only at its second try, with the reason.
import { appendFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** Returns each message with the expected and received values, shortened; the full text is further up in the log. */
const reasons = (errors) =>
  errors
    .map(({ message, diff, stack }) => [message, diff, stack?.split("\n").find((line) => line.includes("/test/"))])
    .flatMap((parts) =>
      parts
        .filter((part) => part !== undefined)
        .join("\n")
        .split("\n")
        .slice(0, 40),
    )
    .map((line) => `    ${stripVTControlCharacters(line).slice(0, 600)}`);

const isFlaky = (test) => test.diagnostic()?.flaky === true;

export default class TotalsReporter {
  onTestRunEnd(modules, errors) {
    const file = process.env.TEST_TOTALS;
    if (!file) return;
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const remarks = errors.flatMap((error) => ["failed: outside of every test", ...reasons([error])]);
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state, errors } = test.result();
        counts[state]++;
        const outcome = state === "failed" ? "failed" : isFlaky(test) ? "second try" : undefined;
        if (outcome !== undefined) {
          remarks.push(`${outcome}: ${module.relativeModuleId} > ${test.fullName}`, ...reasons(errors ?? []));
        }
      }
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) {
          counts.failed++;
          remarks.push(`failed: ${module.relativeModuleId} > ${suite.fullName}`, ...reasons(suite.errors()));
        }
      }
      if (tests.length === 0 || module.errors().length > 0) {
        counts.failed++;
        remarks.push(`failed: ${module.relativeModuleId}`, ...reasons(module.errors()));
      }
    }
    const lines = [`${counts.passed} ${counts.failed} ${counts.skipped}`, ...remarks.map((remark) => `# ${remark}`)];
    appendFileSync(file, `${lines.join("\n")}\n`);
  }
}
