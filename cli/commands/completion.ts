import type { Command } from "commander";
import { z } from "zod";
import { argument, command, type CliCommand } from "./command.ts";
import { completionScript, shells } from "../completion.ts";

/** Prints the completion of the command tree that it is itself a part of. */
export const completion = (tree: () => Command): CliCommand =>
  command({
    name: "completion",
    about: "A completion script for your shell, to be sourced.",
    arguments: {
      shell: argument("SHELL", shells.join(", "), z.enum(shells, `has to be one of ${shells.join(", ")}`), {
        choices: shells,
      }),
    },
    options: {},
    async run({ shell }, context) {
      await context.out.raw(completionScript(shell, tree()));
      return undefined;
    },
  });
