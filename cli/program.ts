import { z } from "zod";
import { flag, option } from "../terminal/command.ts";
import { exitCodes, type ExitCode } from "../terminal/exit-codes.ts";
import { usageError } from "../terminal/failure.ts";
import { isSet } from "../terminal/inputs.ts";
import { runProgram, type Program } from "../terminal/program.ts";
import { completion } from "./commands/completion.ts";
import { commands, groups } from "./commands/index.ts";
import { createContext, type Context } from "./context/context.ts";
import { asFailure, failureObject } from "./context/failure.ts";
import type { Io } from "./context/io.ts";

const options = {
  json: flag("data and errors as JSON", isSet),
  quiet: flag("no progress and no messages; errors are still shown", isSet),
  yes: flag("do not ask before irreversible steps", isSet),
  url: option("url", "the service; default: REALMPASS_URL, or the stored login", z.string().optional()),
  clientId: option("id", "the client; default: REALMPASS_CLIENT_ID, or the stored login", z.string().optional()),
  clientSecretFile: option(
    "file",
    "where its secret is, - for standard input; default: REALMPASS_CLIENT_SECRET, or the stored login",
    z.string().optional(),
  ),
  insecureHttp: flag("allow plain http to another machine: others can read the secret in transit", isSet),
  noColor: flag("no colours; also NO_COLOR", isSet),
};

const program: Program<Context, ExitCode | undefined, typeof options> = {
  name: "realmpass",
  about: "Users, profiles, guests, bulk jobs and the audit log of a Realmpass, over its API.",
  options,
  commands: [...commands, completion(() => program)],
  groups,
  epilogue: `Exit codes: 0 done, 1 error, 2 called wrongly, 3 partly failed, 4 not signed in, 130 interrupted.
Secrets come from the environment, a file or standard input, never from an argument.`,
};

/** Runs one command and returns its exit code. */
export function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let context: Context | undefined;
  return runProgram(program, argv, {
    writeOut: (text) => io.stdout.write(text),
    writeError: (text) => io.stderr.write(text),
    async execute(command, { noColor, ...given }) {
      requireVerification(io);
      context = createContext(io, { ...given, color: !noColor && (io.env["NO_COLOR"] ?? "") === "" });
      return (await command(context)) ?? exitCodes.done;
    },
    failureOf: (error) => asFailure(error, io.interrupted),
    // After the first line of data, an error object would corrupt the output.
    failureJson: (failure) => (context?.out.begun === true ? undefined : failureObject(failure)),
  });
}

/** Throws if Node would accept any certificate as the service's: an attacker could then get the client secret. */
function requireVerification({ env }: Io): void {
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0") return;
  throw usageError(
    "NODE_TLS_REJECT_UNAUTHORIZED=0 would switch off the check of the service's certificate. Unset it; NODE_EXTRA_CA_CERTS names a CA of your own.",
  );
}
