import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Records in `file` how many milliseconds each test file of this run took; entries of other files stay while those
 * files exist.
 */
export const durationsReporter = (file: string): Reporter => ({
  onTestRunEnd(modules: readonly TestModule[]) {
    const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
    for (const module of modules) known[module.relativeModuleId] = Math.round(module.diagnostic().duration);
    const existing = Object.entries(known).filter(([name]) => existsSync(name));
    const sorted = existing.sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  },
});
