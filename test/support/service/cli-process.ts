import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { ended } from "../run/services.ts";
import { typeAt, type Cli, type CliOptions, type CliRun, type CliSession } from "./cli.ts";

const program = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface RunningCli extends CliSession {
  child: ChildProcess;
}

/** The compiled command line client in a separate process. */
export interface CliProcess {
  /** Runs the client to its end. */
  (argv: readonly string[], options?: CliOptions): Promise<CliRun>;
  start(argv: readonly string[], options?: CliOptions): RunningCli;
  /** Runs the client on a new pseudo-terminal. */
  onTerminal(argv: readonly string[], options?: Pick<CliOptions, "env">): RunningCli;
}

/** Runs the client in the directory of `cli`, with only `environment`, PATH and HOME as its environment. */
export function useCliProcess(cli: Pick<Cli, "directory">, environment: () => Record<string, string>): CliProcess {
  const children: ChildProcess[] = [];
  afterAll(async () => {
    await Promise.all(children.map((child) => ended(child, "SIGKILL")));
  });

  const begin = (command: readonly string[], { env, input }: CliOptions): RunningCli => {
    const [file = "", ...args] = command;
    const child = spawn(file, args, {
      cwd: cli.directory,
      env: { PATH: process.env["PATH"], HOME: cli.directory, ...environment(), ...env },
      stdio: "pipe",
    });
    children.push(child);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.on("error", () => undefined);
    if (input !== undefined) child.stdin.end(input);
    const run = new Promise<CliRun>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        resolve({ code, out, err });
      });
    });
    return {
      child,
      out: () => out,
      err: () => err,
      type: (question, answer) => typeAt(question, answer, { shown: () => out + err, stdin: child.stdin }),
      ended: run,
    };
  };

  const start = (argv: readonly string[], options: CliOptions = {}): RunningCli =>
    begin([process.execPath, program, ...argv], { input: "", ...options });
  return Object.assign((argv: readonly string[], options?: CliOptions) => start(argv, options).ended, {
    start,
    onTerminal(argv: readonly string[], options: Pick<CliOptions, "env"> = {}) {
      const line = [process.execPath, program, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      return begin(["script", "--quiet", "--return", "--command", line, "/dev/null"], options);
    },
  });
}
