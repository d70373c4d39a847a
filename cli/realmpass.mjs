#!/usr/bin/env node
// The command `realmpass` of a checkout, linked or run by npx: builds the parts that have changed since the last run,
// usually none, and runs dist/cli/main.js. The build writes to stderr only.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const build = fileURLToPath(new URL("../build.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [build], { stdio: ["ignore", "ignore", "inherit"] });
if (status === 0) await import("../dist/cli/main.js");
else process.exitCode = 1;
