import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll } from "vitest";
import { atEndOfFile } from "../run/at-end.ts";
import { eventually } from "../run/eventually.ts";

const project = fileURLToPath(new URL("../../../", import.meta.url));

export interface CliRun {
  code: number | null;
  out: string;
  err: string;
}

export interface RunningCli {
  child: ChildProcess;
  /** What it has written so far; on a terminal both are one. */
  out(): string;
  err(): string;
  /** Types something once this has been asked. */
  type(question: RegExp, answer: string): Promise<void>;
  ended: Promise<CliRun>;
}

interface CliOptions {
  env?: Record<string, string | undefined>;
  input?: string | Buffer;
  /** Leaves standard input open. */
  open?: boolean;
}

export interface Cli {
  /** An empty directory for this test file, which is also the home directory of the command. */
  readonly directory: string;
  (argv: readonly string[], options?: CliOptions): Promise<CliRun>;
  start(argv: readonly string[], options?: CliOptions): RunningCli;
  /** On a terminal of its own. */
  onTerminal(argv: readonly string[], options?: CliOptions): RunningCli;
}

/** The compiled command line client as a process of its own, with an environment that holds nothing else. */
export function useCli(environment: () => Record<string, string>): Cli {
  let directory = "";
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "realmpass-cli-"));
    atEndOfFile(async () => {
      for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await rm(directory, { recursive: true, force: true });
    });
  });

  const node = [process.execPath, join(project, "dist/cli/main.js")];
  const begin = (command: readonly string[], { env, input, open = false }: CliOptions): RunningCli => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, {
      cwd: directory,
      env: { PATH: process.env["PATH"], HOME: directory, ...environment(), ...env },
      stdio: "pipe",
    });
    children.push(child);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.on("error", () => undefined);
    if (!open) child.stdin.end(input ?? "");
    const ended = new Promise<CliRun>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        resolve({ code, out, err });
      });
    });
    return {
      child,
      out: () => out,
      err: () => err,
      async type(question, answer) {
        await eventually(() => {
          if (!question.test(out + err)) throw new Error(`not asked: ${out}${err}`);
        });
        child.stdin.write(answer);
      },
      ended,
    };
  };

  const cli = (argv: readonly string[], options: CliOptions = {}) => begin([...node, ...argv], options).ended;
  return Object.defineProperties(cli, {
    directory: { get: () => directory },
    start: { value: (argv: readonly string[], options: CliOptions = {}) => begin([...node, ...argv], options) },
    onTerminal: {
      value: (argv: readonly string[], options: CliOptions = {}) => {
        const line = [...node, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
        return begin(["script", "--quiet", "--return", "--command", line, "/dev/null"], { open: true, ...options });
      },
    },
  }) as Cli;
}
