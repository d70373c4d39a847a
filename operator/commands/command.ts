import { commandsWith } from "../../terminal/command.ts";
import type { Context } from "../context/context.ts";

/** The output of a command: an object for programs, a few lines for people. */
export interface Answer {
  json: Readonly<Record<string, unknown>>;
  text: string;
  /** Something is wrong: exit code 1. */
  failed?: boolean;
}

export const command = commandsWith<Context, Answer>();
