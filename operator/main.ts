import { systemClock } from "../runtime/clock.ts";
import { readSecret } from "../terminal/prompt.ts";
import { runOperator } from "./program.ts";

// Sets only the exit code, so output that is still being written to a pipe arrives.
process.exitCode = await runOperator(process.argv.slice(2), {
  env: process.env,
  nodeVersion: process.versions.node,
  clock: systemClock,
  writeOut: (line) => process.stdout.write(line),
  writeError: (line) => process.stderr.write(line),
  readSecret: (question) =>
    readSecret({ stdin: process.stdin, stderr: process.stderr, interrupted: new AbortController().signal }, question),
});
