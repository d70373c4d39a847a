import { Command, CommanderError, Option as CommanderOption, Argument as CommanderArgument } from "commander";
import { flagName, type CliCommand } from "./commands/command.ts";
import { completion } from "./commands/completion.ts";
import { commands, groups } from "./commands/index.ts";
import { createContext, type Context, type GlobalOptions } from "./context/context.ts";
import { asFailure, exitCodes, failureObject, usageError, type CliError, type ExitCode } from "./failure.ts";
import type { Io } from "./context/io.ts";
import { plainJson } from "./output/plain.ts";

/** Runs one command and answers its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  // Needed before parsing, because parsing itself may fail and has to say so in the right form.
  const asJson = argv.includes("--json");
  let context: Context | undefined;
  let exitCode: ExitCode | undefined;
  let help = "";
  const program = buildProgram(
    (text) => (help += text),
    async (command, given, globals) => {
      requireVerification(io);
      context = createContext(io, { ...globals, color: globals.color && (io.env["NO_COLOR"] ?? "") === "" });
      exitCode = await command.run(given, context);
    },
  );

  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode ?? exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      io.stdout.write(help);
      return exitCodes.done;
    }
    const failure = error instanceof CommanderError ? misuse(error, help) : asFailure(error, io.interrupted);
    io.stderr.write(textOf(failure));
    // After the first line of data an error object would spoil them.
    if (asJson && context?.out.begun !== true) io.stdout.write(`${plainJson(failureObject(failure))}\n`);
    return failure.exitCode;
  }
}

/** The failure for people: what, which fields, and what to quote. */
function textOf(failure: CliError): string {
  const stack = failure.code === "internal_error" && failure.cause instanceof Error ? (failure.cause.stack ?? "") : "";
  return [
    failure.message,
    ...failure.fields.map(({ path, reason }) => `  ${path}: ${reason}`),
    ...(failure.requestId === undefined ? [] : [`Request id: ${failure.requestId}`]),
    ...(stack === "" ? [] : [stack]),
    "",
  ].join("\n");
}

/** A group without a command shows its help instead of a message. */
const misuse = (error: CommanderError, help: string): CliError =>
  usageError(error.code === "commander.help" ? help.trimEnd() : error.message.replace(/^error: /, ""));

/** Node would take any certificate for the service's, and with it the client secret would go to anybody. */
function requireVerification({ env }: Io): void {
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0") return;
  throw usageError(
    "NODE_TLS_REJECT_UNAUTHORIZED=0 would switch off the check of the service's certificate. Unset it; NODE_EXTRA_CA_CERTS names a CA of your own.",
  );
}

type Run = (command: CliCommand, given: Record<string, unknown>, globals: GlobalOptions) => Promise<void>;

/** The command tree, from which completions are made as well. */
function buildProgram(writeHelp: (text: string) => void, runCommand: Run): Command {
  const program = quiet(new Command("realmpass"), writeHelp)
    .description("Users, profiles, guests, bulk jobs and the audit log of a Realmpass, over its API.")
    .option("--json", "data and errors as JSON", false)
    .option("--quiet", "no progress and no messages; errors are still told", false)
    .option("--yes", "do what cannot be undone without asking", false)
    .option("--url <url>", "the service; default: REALMPASS_URL, or the stored login")
    .option("--client-id <id>", "the client; default: REALMPASS_CLIENT_ID, or the stored login")
    .option(
      "--client-secret-file <file>",
      "where its secret is, - for standard input; default: REALMPASS_CLIENT_SECRET, or the stored login",
    )
    .option("--insecure-http", "allow plain http to another machine: the secret can be read on its way", false)
    .option("--no-color", "no colours; also NO_COLOR")
    .addHelpText("after", `\n${environment}`);

  const parents = new Map<string, Command>();
  for (const command of [...commands, completion(() => program)]) {
    const words = command.name.split(" ");
    const parent = words.slice(0, -1).reduce((above, word, index) => {
      const path = words.slice(0, index + 1).join(" ");
      const known = parents.get(path) ?? quiet(above.command(word), writeHelp).description(groups[path] ?? "");
      parents.set(path, known);
      return known;
    }, program);
    register(quiet(parent.command(words.at(-1) ?? ""), writeHelp), command, (given) =>
      runCommand(command, given, program.opts<GlobalOptions>()),
    );
  }
  return program;
}

const environment = `Exit codes: 0 done, 1 error, 2 called wrongly, 3 partly failed, 4 not signed in, 130 interrupted.
Secrets come from the environment, a file or standard input, never from an argument.`;

/** Errors are thrown, not printed; help is collected. */
const quiet = (command: Command, writeHelp: (text: string) => void): Command =>
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: writeHelp, writeErr: writeHelp, outputError: () => undefined });

function register(
  target: Command,
  { about, arguments: args, options }: CliCommand,
  runCommand: (given: Record<string, unknown>) => Promise<void>,
): void {
  target.description(about);
  const names = Object.keys(args);
  for (const { placeholder, about: explained, many, choices } of Object.values(args)) {
    const name = placeholder.replace("…", "");
    const described = new CommanderArgument(many ? `[${name}...]` : `[${name}]`, explained);
    target.addArgument(choices.length === 0 ? described : described.choices(choices));
  }
  for (const [name, { placeholder, about: explained, many, choices }] of Object.entries(options)) {
    const described = new CommanderOption(
      placeholder === undefined ? flagName(name) : `${flagName(name)} <${placeholder}>`,
      explained,
    );
    if (many) described.argParser((value, before: string[] | undefined) => [...(before ?? []), value]);
    else if (choices.length > 0) described.argChoices = [...choices];
    target.addOption(described);
  }
  // Whether something is missing is checked together with all other faults, so that one run names them all.
  target.action(async () => {
    const given = Object.fromEntries(names.map((name, index) => [name, target.processedArgs[index] as unknown]));
    await runCommand({ ...target.opts<Record<string, unknown>>(), ...given });
  });
}
