import { commandsWith, type Command } from "../../terminal/command.ts";
import type { ExitCode } from "../../terminal/exit-codes.ts";
import type { Context } from "../context/context.ts";

/** A command of this program. It writes its output itself, and returns its exit code unless the code is 0. */
export type CliCommand = Command<Context, ExitCode | undefined>;

export const command = commandsWith<Context, ExitCode | undefined>();
