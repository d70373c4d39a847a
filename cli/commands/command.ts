import { commandsWith, type Command } from "../../terminal/command.ts";
import type { ExitCode } from "../../terminal/failure.ts";
import type { Context } from "../context/context.ts";

/** A command of this program; it writes its data itself, and answers an exit code when that is not 0. */
export type CliCommand = Command<Context, ExitCode | undefined>;

export const command = commandsWith<Context, ExitCode | undefined>();
