import type { z } from "zod";
import type { Context } from "../context/context.ts";
import { usageError } from "../operator-error.ts";

/** What a command says: an object for programs, a few lines for people. */
export interface Answer {
  json: Readonly<Record<string, unknown>>;
  text: string;
  /** The answer is that something is wrong: exit code 1. */
  failed?: boolean;
}

/** One option of a command. Its name is that of its property, `displayName` being `--display-name`. */
export interface Option<Schema extends z.ZodType = z.ZodType> {
  /** What stands for the value in the help; a switch has none. */
  placeholder: string | undefined;
  about: string;
  schema: Schema;
  /** It may be given more than once: its value is a list. */
  repeatable?: true;
}

type Options = Readonly<Record<string, Option>>;
type Input<Given extends Options> = { [Name in keyof Given]: z.output<Given[Name]["schema"]> };

export interface CommandDefinition<Given extends Options> {
  /** "realm create" */
  name: string;
  about: string;
  options: Given;
  run(input: Input<Given>, context: Context): Promise<Answer>;
}

/** A command as the program runs it: its options still unchecked. */
export interface OperatorCommand extends Pick<CommandDefinition<Options>, "name" | "about" | "options"> {
  run(given: Readonly<Record<string, unknown>>, context: Context): Promise<Answer>;
}

/** An option with a value. It is required when its schema does not accept its absence. */
export const option = <Schema extends z.ZodType>(
  placeholder: string,
  about: string,
  schema: Schema,
): Option<Schema> => ({
  placeholder,
  about,
  schema,
});

/** An option that may be given more than once; its schema is that of a list. */
export const repeatable = <Schema extends z.ZodType>(
  placeholder: string,
  about: string,
  schema: Schema,
): Option<Schema> => ({ ...option(placeholder, about, schema), repeatable: true });

/** An option without a value. */
export const flag = <Schema extends z.ZodType>(about: string, schema: Schema): Option<Schema> => ({
  placeholder: undefined,
  about,
  schema,
});

/** Defines a command; all of its options are checked before it runs, and every fault is named. */
export function command<Given extends Options>(definition: CommandDefinition<Given>): OperatorCommand {
  return {
    name: definition.name,
    about: definition.about,
    options: definition.options,
    run: (given, context) => definition.run(parseOptions(definition.options, given), context),
  };
}

/** "displayName" as it is typed: "--display-name". */
export const flagName = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const isRequired = ({ schema }: Option): boolean => !schema.safeParse(undefined).success;

function parseOptions<Given extends Options>(options: Given, given: Readonly<Record<string, unknown>>): Input<Given> {
  const faults: string[] = [];
  const parsed = Object.entries(options).map(([name, { schema }]) => {
    const result = schema.safeParse(given[name]);
    if (!result.success) {
      const reasons =
        given[name] === undefined
          ? "is required"
          : [...new Set(result.error.issues.map(({ message }) => message))].join("; ");
      faults.push(`${flagName(name)} ${reasons}`);
    }
    return [name, result.data] as const;
  });
  if (faults.length > 0) throw usageError(`${faults.join(". ")}.`);
  return Object.fromEntries(parsed) as Input<Given>;
}
