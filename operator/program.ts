import { Command, CommanderError, Option as CommanderOption } from "commander";
import { flagName, isRequired, type Answer, type OperatorCommand } from "./commands/command.ts";
import { applicationCreate } from "./commands/application-create.ts";
import { auditHead } from "./commands/audit-head.ts";
import { auditVerify } from "./commands/audit-verify.ts";
import { config } from "./commands/config.ts";
import { crlPublish } from "./commands/crl-publish.ts";
import { doctor } from "./commands/doctor.ts";
import { guestAccountCreate } from "./commands/guest-account-create.ts";
import { issuerCreate } from "./commands/issuer-create.ts";
import { issuerList } from "./commands/issuer-list.ts";
import { issuerRotate } from "./commands/issuer-rotate.ts";
import { migrate } from "./commands/migrate.ts";
import { realmCreate } from "./commands/realm-create.ts";
import { realmList } from "./commands/realm-list.ts";
import { realmSet } from "./commands/realm-set.ts";
import { userCreate } from "./commands/user-create.ts";
import { userSignInLink } from "./commands/user-sign-in-link.ts";
import { createContext, type OperatorIo } from "./context/context.ts";
import { describeFailure, type Failure } from "./context/failure.ts";

const commands: readonly OperatorCommand[] = [
  migrate,
  realmCreate,
  realmList,
  realmSet,
  issuerCreate,
  issuerList,
  issuerRotate,
  userCreate,
  userSignInLink,
  applicationCreate,
  guestAccountCreate,
  auditHead,
  auditVerify,
  crlPublish,
  doctor,
  config,
];

const groups: Readonly<Record<string, string>> = {
  realm: "Organisations.",
  issuer: "Issuing CAs of a realm.",
  user: "People who sign in locally.",
  application: "OAuth clients.",
  "guest-account": "Time-limited accounts for guests.",
  audit: "The audit log's chains.",
  crl: "Certificate revocation lists.",
};

/**
 * Runs one command and answers the exit code: 0, 1 (it failed) or 2 (it was called wrongly). With `--json` standard
 * output gets exactly one JSON object, `{"error","error_description"}` when it failed; without, a few words for people.
 */
export async function runOperator(argv: readonly string[], io: OperatorIo): Promise<0 | 1 | 2> {
  // Needed before parsing, because parsing itself may fail and has to say so in the right form.
  const asJson = argv.includes("--json");
  const writeJson = (value: object): void => {
    io.writeOut(`${JSON.stringify(value)}\n`);
  };

  let answer: Answer | undefined;
  let help = "";
  const program = buildProgram(
    (text) => (help += text),
    async (command, options, realm) => {
      const context = createContext(io, realm);
      try {
        answer = await command.run(options, context);
      } finally {
        await context.close();
      }
    },
  );

  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      if (asJson) writeJson({ help });
      else io.writeOut(help);
      return 0;
    }
    const failure = error instanceof CommanderError ? misuse(error, help) : describeFailure(error);
    io.writeError(`${failure.message}\n${failure.stack === undefined ? "" : `${failure.stack}\n`}`);
    if (asJson) writeJson({ error: failure.code, error_description: failure.message });
    return failure.exitCode;
  }

  if (answer === undefined) return 2;
  if (asJson) writeJson(answer.json);
  else io.writeOut(`${answer.text}\n`);
  return answer.failed === true ? 1 : 0;
}

const misuse = (error: CommanderError, help: string): Failure => ({
  code: "usage",
  // A group without a command shows its help instead of a message.
  message: error.code === "commander.help" ? help.trimEnd() : error.message.replace(/^error: /, ""),
  exitCode: 2,
});

type Run = (command: OperatorCommand, options: Record<string, unknown>, realm: string | undefined) => Promise<void>;

function buildProgram(writeHelp: (text: string) => void, run: Run): Command {
  const program = quiet(new Command("operator"), writeHelp)
    .description("Realms, issuers, people and applications of this Realmpass.")
    .option("--json", "answer with one JSON object")
    .option("--realm <name>", "the realm that is meant; default: the only one");

  const parents = new Map<string, Command>();
  for (const command of commands) {
    const [group, name] = command.name.split(" ") as [string, string | undefined];
    const parent = name === undefined ? program : (parents.get(group) ?? newGroup(program, group, writeHelp));
    if (name !== undefined) parents.set(group, parent);
    register(quiet(parent.command(name ?? group), writeHelp), command, (options) => {
      const { realm } = program.opts<{ realm?: string }>();
      return run(command, options, realm);
    });
  }
  return program;
}

const newGroup = (program: Command, name: string, writeHelp: (text: string) => void): Command =>
  quiet(program.command(name), writeHelp).description(groups[name] ?? "");

/** Errors are thrown, not printed; help is collected. */
const quiet = (command: Command, writeHelp: (text: string) => void): Command =>
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: writeHelp, writeErr: writeHelp, outputError: () => undefined });

function register(
  target: Command,
  { about, options }: OperatorCommand,
  run: (options: Record<string, unknown>) => Promise<void>,
): void {
  target.description(about);
  for (const [name, each] of Object.entries(options)) {
    const flags = each.placeholder === undefined ? flagName(name) : `${flagName(name)} ${each.placeholder}`;
    // Whether it is missing is checked together with all other faults, so that one run names them all.
    const added = new CommanderOption(flags, isRequired(each) ? `${each.about} (required)` : each.about);
    if (each.repeatable) added.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]);
    target.addOption(added);
  }
  target.action(run);
}
