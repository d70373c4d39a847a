import { CommandError, usageError } from "../../terminal/failure.ts";
import { plain } from "../../terminal/output.ts";
import { isInteractive, promptUser } from "../../terminal/prompt.ts";
import { createOutput, type Output } from "../output/output.ts";
import { findCredentials, type CredentialOptions, type Credentials } from "../service/credentials.ts";
import { createServiceClient, type ServiceClient } from "../service/service-client.ts";
import type { RetryOptions } from "../service/fetch-with-retry.ts";
import type { Io } from "./io.ts";

/** Options that every command has. */
export interface GlobalOptions extends CredentialOptions {
  json: boolean;
  quiet: boolean;
  yes: boolean;
  color: boolean;
}

/** The environment, options and output of a command, and the service that it calls. */
export interface Context {
  io: Io;
  options: GlobalOptions;
  out: Output;
  /** Whether a user is at a terminal and can answer questions. */
  readonly isInteractive: boolean;
  credentials(): Promise<Credentials>;
  service(): Promise<ServiceClient>;
  /** Writes a line on standard error, unless --quiet is set. */
  notify: (message: string) => void;
  /** Writes a line about a failure on standard error, also with --quiet. */
  notifyFailure: (message: string) => void;
  /**
   * Returns only if the user has typed `word` or passed --yes. Without a terminal, --yes is required, so no script does
   * anything irreversible by accident.
   */
  confirm(about: string, word: string): Promise<void>;
}

export function createContext(io: Io, options: GlobalOptions): Context {
  const out = createOutput(io.stdout, options);
  let credentials: Promise<Credentials> | undefined;
  let service: Promise<ServiceClient> | undefined;

  const context: Context = {
    io,
    options,
    out,
    isInteractive: isInteractive(io),
    credentials: () => (credentials ??= findCredentials(io, options)),
    service: () =>
      (service ??= context.credentials().then((found) => createServiceClient(found, retryOptionsOf(context)))),
    notify(message) {
      if (!options.quiet) io.stderr.write(`${plain(message)}\n`);
    },
    notifyFailure(message) {
      io.stderr.write(`${plain(message)}\n`);
    },
    async confirm(about, word) {
      if (options.yes) return;
      if (!context.isInteractive) throw usageError(`${about} Without a terminal to ask on, this needs --yes.`);
      io.stderr.write(`${plain(about)}\n`);
      const typed = await promptUser(io, `Type ${plain(word)} to continue: `);
      if (typed.trim() !== word) throw new CommandError("not_confirmed", "Nothing was done.");
    },
  };
  return context;
}

/** Returns the options for retrying the calls of this command. */
export const retryOptionsOf = ({ io: { clock, interrupted }, notify }: Context): RetryOptions => ({
  wait: (ms, signal) => clock.wait(ms, signal),
  interrupted,
  notify,
});
