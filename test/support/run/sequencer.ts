import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Milliseconds by file, as test/support/run/durations-reporter.ts wrote them. */
const durations = JSON.parse(readFileSync(new URL("../../durations.json", import.meta.url), "utf8")) as Record<
  string,
  number
>;

/** A file without a measured time starts after the long files and before the many short ones. */
const unknownMs = 5_000;

/**
 * Runs the long files of each project first, so that no process is left with one of them at the end. Projects stay
 * together: a test process serves one project, and the next process has to load everything again.
 */
export default class LongFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const duration = ({ moduleId, project }: TestSpecification): number =>
      durations[relative(project.config.root, moduleId)] ?? unknownMs;
    const projects = [...new Set(files.map(({ project }) => project.name))].sort();
    const timed = files.map((file) => ({ file, project: projects.indexOf(file.project.name), ms: duration(file) }));
    timed.sort((a, b) => a.project - b.project || b.ms - a.ms);
    return Promise.resolve(timed.map(({ file }) => file));
  }
}
