import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { beforeAll } from "vitest";
import { systemClock, type Clock } from "../../../cli/context/clock.ts";
import { run } from "../../../cli/program.ts";
import type { Input, Terminal } from "../../../terminal/streams.ts";
import { atEndOfFile } from "../run/at-end.ts";
import { eventually } from "../run/eventually.ts";

const project = fileURLToPath(new URL("../../../", import.meta.url));

export interface CliRun {
  code: number | null;
  out: string;
  err: string;
}

/** A command that is still running. */
export interface CliSession {
  /** The command's output so far; on a terminal, both streams are combined. */
  out(): string;
  err(): string;
  /** Types an answer once the command has asked the question. */
  type(question: RegExp, answer: string): Promise<void>;
  ended: Promise<CliRun>;
}

export interface CliOptions {
  env?: Record<string, string | undefined>;
  input?: string | Buffer;
}

/** Passed to the client's function in this process. */
interface InProcessOptions extends CliOptions {
  clock?: Clock;
}

/**
 * The command line client in this process, with its own streams and environment. `cli-process.ts` covers what only a
 * real process shows.
 */
export interface Cli {
  /** An empty directory for this test file, which is also the home directory of the command. */
  readonly directory: string;
  (argv: readonly string[], options?: InProcessOptions): Promise<CliRun>;
  /** Runs the client for a user at a terminal, who can answer questions. */
  onTerminal(argv: readonly string[], options?: Pick<CliOptions, "env">): CliSession;
}

export function useCli(environment: () => Record<string, string>): Cli {
  let directory = "";
  const running = new Map<Promise<unknown>, AbortController>();
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "realmpass-cli-"));
    atEndOfFile(async () => {
      // Ends commands that a test left running, so none of them uses its directory when the next file starts.
      for (const interrupted of running.values()) interrupted.abort();
      await Promise.allSettled(running.keys());
      await rm(directory, { recursive: true, force: true });
    });
  });

  const begin = (
    argv: readonly string[],
    streams: { stdin: Input; stdout: Terminal; stderr: Terminal },
    { env, clock = systemClock }: Pick<InProcessOptions, "env" | "clock">,
  ): Promise<number> => {
    const interrupted = new AbortController();
    const code = inDirectory(directory, () =>
      run(argv, {
        ...streams,
        env: { PATH: process.env["PATH"], HOME: directory, ...environment(), ...env },
        clock,
        interrupted: interrupted.signal,
      }),
    );
    running.set(code, interrupted);
    void code.finally(() => running.delete(code)).catch(() => undefined);
    return code;
  };

  const cli = async (argv: readonly string[], { input = "", ...options }: InProcessOptions = {}): Promise<CliRun> => {
    const [stdout, stderr] = [new Collector(), new Collector()];
    const stdin = Readable.from(Buffer.from(input), { objectMode: false });
    const code = await begin(argv, { stdin, stdout, stderr }, options);
    return { code, out: stdout.text(), err: stderr.text() };
  };
  return Object.defineProperties(cli, {
    directory: { get: () => directory },
    onTerminal: {
      value(argv: readonly string[], options: CliOptions = {}): CliSession {
        const stdin = Object.assign(new PassThrough(), { isTTY: true });
        const screen = Object.assign(new Collector(), { isTTY: true, columns: 80 });
        const code = begin(argv, { stdin, stdout: screen, stderr: screen }, options);
        return {
          out: () => screen.text(),
          err: () => "",
          type: (question, answer) => typeAt(question, answer, { shown: () => screen.text(), stdin }),
          ended: code.then((ended) => ({ code: ended, out: screen.text(), err: "" })),
        };
      },
    },
  }) as Cli;
}

/** Waits until the question is shown, and types the answer. */
export async function typeAt(
  question: RegExp,
  answer: string,
  { shown, stdin }: { shown: () => string; stdin: Writable },
): Promise<void> {
  await eventually(() => {
    if (!question.test(shown())) throw new Error(`not asked: ${shown()}`);
  });
  stdin.write(answer);
}

/** A stream that keeps what is written to it. */
class Collector extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

let runs = 0;

/** The program resolves files against the working directory, and this process has only one. */
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
