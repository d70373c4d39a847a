import { ask, canAsk } from "../ask.ts";
import { CliError, usageError } from "../failure.ts";
import type { Io } from "./io.ts";
import { createOutput, type Output } from "../output/output.ts";
import { plain } from "../output/plain.ts";
import { findCredentials, type CredentialOptions, type Credentials } from "../service/credentials.ts";
import { createServiceClient, type ServiceClient } from "../service/service-client.ts";

/** Options that every command has. */
export interface GlobalOptions extends CredentialOptions {
  json: boolean;
  quiet: boolean;
  yes: boolean;
  color: boolean;
}

/** What a command works with. */
export interface Context {
  io: Io;
  options: GlobalOptions;
  out: Output;
  /** Whether somebody sits at a terminal and can be asked. */
  readonly canAsk: boolean;
  credentials(): Promise<Credentials>;
  service(): Promise<ServiceClient>;
  /** A line on standard error, unless it shall be quiet. */
  notify: (message: string) => void;
  /**
   * Goes on only when somebody has typed `word` or said --yes. Without a terminal --yes is needed, so that no script does
   * by accident what cannot be undone.
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
    canAsk: canAsk(io),
    credentials: () => (credentials ??= findCredentials(io, options)),
    service: () => (service ??= context.credentials().then((found) => createServiceClient(found, patienceOf(context)))),
    notify(message) {
      if (!options.quiet) io.stderr.write(`${plain(message)}\n`);
    },
    async confirm(about, word) {
      if (options.yes) return;
      if (!context.canAsk) throw usageError(`${about} Without a terminal to ask on, this needs --yes.`);
      io.stderr.write(`${plain(about)}\n`);
      const typed = await ask(io, `Type ${plain(word)} to go on: `);
      if (typed.trim() !== word) throw new CliError("not_confirmed", "Nothing was done.");
    },
  };
  return context;
}

/** How long calls of this command wait for the service. */
export const patienceOf = ({
  io: { interrupted },
  notify,
}: Context): { interrupted: AbortSignal; notify: Context["notify"] } => ({
  interrupted,
  notify,
});
