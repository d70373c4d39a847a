import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { interruption } from "./failure.ts";
import type { Input, Terminal } from "./streams.ts";

interface TerminalStreams {
  stdin: Input;
  stderr: Terminal;
}

/** The streams for a question, and the signal that interrupts it. */
export interface PromptIo extends TerminalStreams {
  /** Aborted when the user interrupts the program. */
  interrupted: AbortSignal;
}

/** Returns whether a user is at a terminal and can answer a question. */
export const isInteractive = ({ stdin, stderr }: TerminalStreams): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/**
 * Returns a secret: all of standard input, or the line that a user types after `question` at a terminal, which does not
 * show the line. Throws if the user interrupts.
 */
export const readSecret = (io: PromptIo, question: string): Promise<string> =>
  io.stdin.isTTY === true ? promptUser(io, question, { hidden: true }) : text(io.stdin);

/**
 * Asks a question on the terminal. The terminal does not show the answer to a `hidden` question. Throws if the user
 * interrupts.
 */
export async function promptUser(
  { stdin, stderr, interrupted }: PromptIo,
  question: string,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string> {
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const prompt = createInterface({ input: stdin, output: hidden ? silent : stderr, terminal: true });
  // Writes the question only in raw mode, when the terminal echoes nothing, so a secret that the user types or pastes
  // immediately also stays hidden.
  if (hidden) stderr.write(question);
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
