import type { Input, Terminal } from "../../terminal/streams.ts";
import type { Clock } from "./clock.ts";

/** A command's environment; tests replace it. */
export interface Io {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  /** Only data. */
  stdout: Terminal;
  /** Progress, questions and messages. */
  stderr: Terminal;
  clock: Clock;
  /** Aborted by the first Ctrl-C. */
  interrupted: AbortSignal;
}
