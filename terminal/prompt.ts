import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { interruption } from "./failure.ts";
import type { Input, Terminal } from "./streams.ts";

interface TerminalStreams {
  stdin: Input;
  stderr: Terminal;
}

/** Whether a user is at a terminal and can answer a question. */
export const isInteractive = ({ stdin, stderr }: TerminalStreams): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/** Asks a question on the terminal. The answer to a `hidden` question is not shown. Throws if the user interrupts. */
export async function promptUser(
  { stdin, stderr, interrupted }: TerminalStreams & { interrupted: AbortSignal },
  question: string,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string> {
  if (hidden) stderr.write(question);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const prompt = createInterface({ input: stdin, output: hidden ? silent : stderr, terminal: true });
  const stopped = new AbortController();
  // The terminal is in raw mode during a question, so Ctrl-C arrives as a key, and the end of input as a close.
  const stop = (): void => {
    stopped.abort();
  };
  prompt.once("SIGINT", stop);
  prompt.once("close", stop);
  try {
    const signal = AbortSignal.any([stopped.signal, interrupted]);
    return await prompt.question(hidden ? "" : question, { signal });
  } catch {
    throw interruption();
  } finally {
    prompt.close();
    if (hidden) stderr.write("\n");
  }
}
