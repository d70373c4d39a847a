#!/usr/bin/env node
import { exitCodes } from "../terminal/exit-codes.ts";
import { systemClock } from "./context/clock.ts";
import { run } from "./program.ts";

const interrupted = new AbortController();
process.on("SIGINT", () => {
  // The second Ctrl-C ends the process immediately.
  if (interrupted.signal.aborted) process.exit(exitCodes.interrupted);
  interrupted.abort();
});
// The reader of the output closed the pipe and needs no more.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.done);
});

// Sets only the exit code and does not exit, so output in a pipe still arrives.
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  interrupted: interrupted.signal,
});
// Open standard input would keep the process alive.
process.stdin.destroy();
