import {
  Argument as CommanderArgument,
  Command as CommanderCommand,
  CommanderError,
  Option as CommanderOption,
} from "commander";
import {
  flagName,
  isRequired,
  parseOptions,
  type Command,
  type CommandSignature,
  type Option,
  type Options,
  type Typed,
  type Values,
} from "./command.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { usageError, type CommandError } from "./failure.ts";
import { plainJson } from "./output.ts";

/** A program with commands, as its help shows it. */
export interface ProgramSignature<Each extends CommandSignature = CommandSignature, Named extends Options = Options> {
  name: string;
  about: string;
  /** The options of all commands. */
  options: Named;
  commands: readonly Each[];
  /** The description of each group of commands, by the group's words: "jobs start" */
  groups: Readonly<Record<string, string>>;
  /** The end of the help. */
  epilogue?: string;
}

/** A program that can be run. One of its options is `json`. */
export type Program<Context, Outcome, Named extends Options> = ProgramSignature<Command<Context, Outcome>, Named>;

/** The parts that differ between programs. */
export interface Surroundings<Context, Outcome, Named extends Options> {
  writeOut: (text: string) => void;
  writeError: (text: string) => void;
  /** Runs a command with a context, shows its outcome and returns the exit code. */
  execute: (run: (context: Context) => Promise<Outcome>, options: Values<Named>) => Promise<ExitCode>;
  /** Describes an error. */
  failureOf: (error: unknown) => CommandError;
  /** Returns a failure as programs read it; undefined if other output has already begun. */
  failureJson: (failure: CommandError) => object | undefined;
}

/**
 * Runs the command that `argv` names and returns the exit code. Writes the help to standard output, and the message of
 * a failure to standard error. With `--json`, writes the help or, before any other output, the failure to standard
 * output as one JSON object.
 */
export async function runProgram<Context, Outcome, Named extends Options>(
  program: Program<Context, Outcome, Named>,
  argv: readonly string[],
  { writeOut, writeError, execute, failureOf, failureJson }: Surroundings<Context, Outcome, Named>,
): Promise<ExitCode> {
  // Needed before parsing, because parsing can fail and must report the failure in the right form.
  const asJson = argv.includes("--json");
  let exitCode: ExitCode = exitCodes.usage;
  let help = "";
  const tree = commandTree(program, {
    writeHelp: (text) => (help += text),
    async call(command, typed, options) {
      exitCode = await execute((context) => command.run(typed, context), parseOptions(program.options, options));
    },
  });

  try {
    await tree.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      writeOut(asJson ? `${plainJson({ help })}\n` : help);
      return exitCodes.done;
    }
    const failure = error instanceof CommanderError ? misuse(error, help) : failureOf(error);
    writeError(`${[failure.message, ...failure.notes].join("\n")}\n`);
    const json = asJson ? failureJson(failure) : undefined;
    if (json !== undefined) writeOut(`${plainJson(json)}\n`);
    return failure.exitCode;
  }
}

/** Returns the failure for wrong usage. A group without a command shows its help instead of a message. */
const misuse = (error: CommanderError, help: string): CommandError =>
  usageError(error.code === "commander.help" ? help.trimEnd() : error.message.replace(/^error: /, ""));

interface Calls<Each> {
  writeHelp: (text: string) => void;
  call: (command: Each, typed: Typed, options: Typed) => Promise<void>;
}

/** Builds the tree of groups and commands. The program parses arguments with it and makes completions from it. */
export function commandTree<Each extends CommandSignature>(
  { name, about, options, commands, groups, epilogue }: ProgramSignature<Each>,
  { writeHelp, call }: Calls<Each>,
): CommanderCommand {
  const root = quiet(new CommanderCommand(name), writeHelp).description(about);
  addOptions(root, options);
  if (epilogue !== undefined) root.addHelpText("after", `\n${epilogue}`);

  const parents = new Map<string, CommanderCommand>();
  for (const command of commands) {
    const words = command.name.split(" ");
    const parent = words.slice(0, -1).reduce((above, word, index) => {
      const path = words.slice(0, index + 1).join(" ");
      const known = parents.get(path) ?? quiet(above.command(word), writeHelp).description(groups[path] ?? "");
      parents.set(path, known);
      return known;
    }, root);
    register(quiet(parent.command(words.at(-1) ?? ""), writeHelp), command, (typed) =>
      call(command, typed, root.opts()),
    );
  }
  return root;
}

/** Makes a command throw errors instead of printing them, and collects its help. */
const quiet = (command: CommanderCommand, writeHelp: (text: string) => void): CommanderCommand =>
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: writeHelp, writeErr: writeHelp, outputError: () => undefined });

function register(
  target: CommanderCommand,
  { about, arguments: args, options }: CommandSignature,
  call: (typed: Typed) => Promise<void>,
): void {
  target.description(about);
  const names = Object.keys(args);
  for (const { placeholder, about: explained, many, choices } of Object.values(args)) {
    const name = placeholder.replace("…", "");
    const described = new CommanderArgument(many ? `[${name}...]` : `[${name}]`, explained);
    if (choices.length > 0) described.argChoices = [...choices];
    target.addArgument(described);
  }
  addOptions(target, options);
  // The command checks missing arguments and wrong choices with all other faults, so one message lists every fault.
  target.action(async () => {
    const positional = Object.fromEntries(names.map((name, index) => [name, target.processedArgs[index] as unknown]));
    await call({ ...target.opts(), ...positional });
  });
}

function addOptions(target: CommanderCommand, options: Options): void {
  for (const [name, each] of Object.entries(options)) target.addOption(commanderOption(name, each));
}

function commanderOption(name: string, each: Option): CommanderOption {
  const { placeholder, about, many, choices } = each;
  const flags = placeholder === undefined ? flagName(name) : `${flagName(name)} <${placeholder}>`;
  const described = new CommanderOption(flags, isRequired(each) ? `${about} (required)` : about);
  // Commander reads --no-x as the opposite of --x; here --no-x is an independent option.
  described.negate = false;
  if (many) described.argParser((value, before: string[] | undefined) => [...(before ?? []), value]);
  if (choices.length > 0) described.argChoices = [...choices];
  return described;
}
