#!/usr/bin/env node
import { exitCodes } from "../terminal/exit-codes.ts";
import { systemClock } from "./context/clock.ts";
import { run } from "./program.ts";

const interrupted = new AbortController();
process.on("SIGINT", () => {
  // The second Ctrl-C ends the process at once.
  if (interrupted.signal.aborted) process.exit(exitCodes.interrupted);
  interrupted.abort();
});
// The reader of the output closed the pipe: it needs no more.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.done);
});

// Sets only the exit code, so output that is still on its way into a pipe arrives.
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  interrupted: interrupted.signal,
});
// Standard input that is still open would keep the process alive.
process.stdin.destroy();
