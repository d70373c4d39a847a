import { commandsWith } from "../../terminal/command.ts";
import type { Context } from "../context/context.ts";

/** What a command says: an object for programs, a few lines for people. */
export interface Answer {
  json: Readonly<Record<string, unknown>>;
  text: string;
  /** The answer is that something is wrong: exit code 1. */
  failed?: boolean;
}

export const command = commandsWith<Context, Answer>();
