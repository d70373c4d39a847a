import type { z } from "zod";
import type { Context } from "../context/context.ts";
import { usageError, type ExitCode } from "../failure.ts";

/** One option or argument. The name of an option is that of its property, `dryRun` being `--dry-run`. */
interface Parameter<Schema extends z.ZodType> {
  about: string;
  schema: Schema;
}

export interface Option<Schema extends z.ZodType = z.ZodType> extends Parameter<Schema> {
  /** What stands for the value in the help; a switch has none. */
  placeholder: string | undefined;
  /** May be given several times. */
  many: boolean;
  /** The only values there are, for completion. */
  choices: readonly string[];
}

export interface Argument<Schema extends z.ZodType = z.ZodType> extends Parameter<Schema> {
  /** As the help writes it: FILE, or USER… for one or more. */
  placeholder: string;
  many: boolean;
  choices: readonly string[];
}

type Parameters = Readonly<Record<string, Parameter<z.ZodType>>>;
type Values<Given extends Parameters> = { [Name in keyof Given]: z.output<Given[Name]["schema"]> };

export interface CommandDefinition<
  Arguments extends Readonly<Record<string, Argument>>,
  Options extends Readonly<Record<string, Option>>,
> {
  /** "users list" */
  name: string;
  about: string;
  /** In the order in which they are typed. */
  arguments: Arguments;
  options: Options;
  run(input: Values<Arguments> & Values<Options>, context: Context): Promise<ExitCode | undefined>;
}

/** A command as the program runs it: its input still unchecked. */
export interface CliCommand extends Pick<
  CommandDefinition<Readonly<Record<string, Argument>>, Readonly<Record<string, Option>>>,
  "name" | "about" | "arguments" | "options"
> {
  run(given: Readonly<Record<string, unknown>>, context: Context): Promise<ExitCode | undefined>;
}

/** An option with a value. */
export const option = <Schema extends z.ZodType>(
  placeholder: string,
  about: string,
  schema: Schema,
  { many = false, choices = [] }: { many?: boolean; choices?: readonly string[] } = {},
): Option<Schema> => ({ placeholder, about, schema, many, choices });

/** An option without a value. */
export const flag = <Schema extends z.ZodType>(about: string, schema: Schema): Option<Schema> => ({
  placeholder: undefined,
  about,
  schema,
  many: false,
  choices: [],
});

/** A positional argument; `many`: one or more, and the last. */
export const argument = <Schema extends z.ZodType>(
  placeholder: string,
  about: string,
  schema: Schema,
  { many = false, choices = [] }: { many?: boolean; choices?: readonly string[] } = {},
): Argument<Schema> => ({ placeholder, about, schema, many, choices });

/** Defines a command; all of its input is checked before it runs, and every fault is named. */
export function command<
  Arguments extends Readonly<Record<string, Argument>>,
  Options extends Readonly<Record<string, Option>>,
>(definition: CommandDefinition<Arguments, Options>): CliCommand {
  const { name, about, arguments: args, options } = definition;
  return {
    name,
    about,
    arguments: args,
    options,
    run: (given, context) => definition.run(parse(args, options, given) as never, context),
  };
}

/** "dryRun" as it is typed: "--dry-run". */
export const flagName = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function parse(
  args: Readonly<Record<string, Argument>>,
  options: Readonly<Record<string, Option>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const faults: string[] = [];
  const named = [
    ...Object.entries(args).map(([name, { placeholder, schema }]) => ({ name, label: placeholder, schema })),
    ...Object.entries(options).map(([name, { schema }]) => ({ name, label: flagName(name), schema })),
  ];
  const parsed = named.map(({ name, label, schema }) => {
    const result = schema.safeParse(given[name]);
    if (!result.success) {
      const reasons =
        given[name] === undefined
          ? "is required"
          : [...new Set(result.error.issues.map(({ message }) => message))].join("; ");
      faults.push(`${label} ${reasons}`);
    }
    return [name, result.data] as const;
  });
  if (faults.length > 0) throw usageError(`${faults.join(". ")}.`);
  return Object.fromEntries(parsed);
}
