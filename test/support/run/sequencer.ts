import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Milliseconds by file, as test/support/run/durations-reporter.ts wrote them. */
const durations = JSON.parse(readFileSync(new URL("../../durations.json", import.meta.url), "utf8")) as Record<
  string,
  number
>;

/** The long files first, so that none of them is left for one process at the end; first of all the unknown ones. */
export default class LongFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const duration = ({ moduleId, project }: TestSpecification): number =>
      durations[relative(project.config.root, moduleId)] ?? Infinity;
    const byDuration = files.map((file) => ({ file, ms: duration(file) })).sort((a, b) => compare(b.ms, a.ms));
    return Promise.resolve(byDuration.map(({ file }) => file));
  }
}

const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
