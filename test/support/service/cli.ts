import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { beforeAll } from "vitest";
import { systemClock } from "../../../cli/context/clock.ts";
import { run } from "../../../cli/program.ts";
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
  /** The program in this process, for tests of what it does. */
  (argv: readonly string[], options?: Pick<CliOptions, "env" | "input">): Promise<CliRun>;
  /** The compiled program as a process of its own, run to its end. */
  readonly compiled: (argv: readonly string[], options?: CliOptions) => Promise<CliRun>;
  /** The same, to be watched while it runs. */
  start(argv: readonly string[], options?: CliOptions): RunningCli;
  /** On a terminal of its own. */
  onTerminal(argv: readonly string[], options?: CliOptions): RunningCli;
}

/** The command line client, with an environment that holds nothing else: in this process, compiled, or on a terminal. */
export function useCli(environment: () => Record<string, string>): Cli {
  let directory = "";
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "realmpass-cli-"));
    atEndOfFile(async () => {
      // What a test did not wait for does not take the next file along to its directory.
      process.chdir(project);
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

  const cli = async (
    argv: readonly string[],
    { env, input = "" }: Pick<CliOptions, "env" | "input"> = {},
  ): Promise<CliRun> => {
    const [out, err] = [collector(), collector()];
    const code = await inDirectory(directory, () =>
      run(argv, {
        env: { PATH: process.env["PATH"], HOME: directory, ...environment(), ...env },
        stdin: Readable.from(Buffer.from(input), { objectMode: false }),
        stdout: out.stream,
        stderr: err.stream,
        clock: systemClock,
        interrupted: new AbortController().signal,
      }),
    );
    return { code, out: out.text(), err: err.text() };
  };
  return Object.defineProperties(cli, {
    directory: { get: () => directory },
    compiled: {
      value: (argv: readonly string[], options: CliOptions = {}) => begin([...node, ...argv], options).ended,
    },
    start: { value: (argv: readonly string[], options: CliOptions = {}) => begin([...node, ...argv], options) },
    onTerminal: {
      value: (argv: readonly string[], options: CliOptions = {}) => {
        const line = [...node, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
        return begin(["script", "--quiet", "--return", "--command", line, "/dev/null"], { open: true, ...options });
      },
    },
  }) as Cli;
}

/** A stream that keeps what is written to it. */
function collector(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

let runs = 0;

/** The program finds files from the working directory on, which this process has only one of. */
async function inDirectory<Result>(directory: string, action: () => Promise<Result>): Promise<Result> {
  runs += 1;
  process.chdir(directory);
  try {
    return await action();
  } finally {
    runs -= 1;
    if (runs === 0) process.chdir(project);
  }
}
