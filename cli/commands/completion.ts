import { argument } from "../../terminal/command.ts";
import { completionScript, shells } from "../../terminal/completion.ts";
import { oneOf } from "../../terminal/inputs.ts";
import type { ProgramSignature } from "../../terminal/program.ts";
import { command, type CliCommand } from "./command.ts";

/** Prints the completion script of the program that this command belongs to. */
export const completion = (program: () => ProgramSignature): CliCommand =>
  command({
    name: "completion",
    about: "Print a completion script for your shell, to be sourced.",
    arguments: {
      shell: argument("SHELL", shells.join(", "), oneOf(shells), { choices: shells }),
    },
    options: {},
    async run({ shell }, context) {
      await context.out.raw(completionScript(shell, program()));
      return undefined;
    },
  });
