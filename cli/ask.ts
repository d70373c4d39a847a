import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { interruption } from "./failure.ts";
import type { Io } from "./context/io.ts";

type Asking = Pick<Io, "stdin" | "stderr" | "interrupted">;

/** Whether there is somebody to ask. */
export const canAsk = ({ stdin, stderr }: Pick<Io, "stdin" | "stderr">): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/** Asks on the terminal. What is typed to a `hidden` question is not shown. */
export async function ask(
  { stdin, stderr, interrupted }: Asking,
  question: string,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string> {
  if (hidden) stderr.write(question);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const given = createInterface({ input: stdin, output: hidden ? silent : stderr, terminal: true });
  const stopped = new AbortController();
  // The terminal is in raw mode while it asks, so that Ctrl-C comes as a key, and the end of input as a close.
  const stop = (): void => {
    stopped.abort();
  };
  given.once("SIGINT", stop);
  given.once("close", stop);
  try {
    const signal = AbortSignal.any([stopped.signal, interrupted]);
    return await given.question(hidden ? "" : question, { signal });
  } catch {
    throw interruption();
  } finally {
    given.close();
    if (hidden) stderr.write("\n");
  }
}
