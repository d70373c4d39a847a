import type { z } from "zod";
import { usageError } from "./failure.ts";

interface Parameter<Schema extends z.ZodType> {
  about: string;
  /** The parameter is required if its schema does not accept `undefined`. */
  schema: Schema;
  /** The parameter may occur several times, and its value is a list. */
  many: boolean;
  /** The only allowed values, for the help and for completion; the schema checks them. */
  choices: readonly string[];
}

/** An option, named for its property: `dryRun` is `--dry-run`. */
export interface Option<Schema extends z.ZodType = z.ZodType> extends Parameter<Schema> {
  /** The placeholder for the value in the help; undefined for a switch. */
  placeholder: string | undefined;
}

/** A positional argument. */
export interface Argument<Schema extends z.ZodType = z.ZodType> extends Parameter<Schema> {
  /** The placeholder in the help: FILE, or USER… for one or more. */
  placeholder: string;
}

export type Options = Readonly<Record<string, Option>>;
export type Arguments = Readonly<Record<string, Argument>>;
/** The parsed values. */
export type Values<Parameters extends Readonly<Record<string, Parameter<z.ZodType>>>> = {
  [Name in keyof Parameters]: z.output<Parameters[Name]["schema"]>;
};
/** The input as typed, not checked yet. */
export type Typed = Readonly<Record<string, unknown>>;

/** The parts of a command that the help and completion use. */
export interface CommandSignature {
  /** The words of the command: "users list" */
  name: string;
  about: string;
  /** The positional arguments, in the order in which they are typed. */
  arguments: Arguments;
  options: Options;
}

/** A command that a program can run. */
export interface Command<Context, Outcome> extends CommandSignature {
  /** Checks the input and runs the command. */
  run(typed: Typed, context: Context): Promise<Outcome>;
}

export interface CommandDefinition<Positional extends Arguments, Named extends Options, Context, Outcome> {
  name: string;
  about: string;
  arguments?: Positional;
  options: Named;
  run(input: Values<Positional> & Values<Named>, context: Context): Promise<Outcome>;
}

/** Returns the function that defines a program's commands; all of them have the same context and outcome. */
export const commandsWith =
  <Context, Outcome>() =>
  /** Defines a command. Before it runs, all of its input is checked and every fault is reported. */
  // eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- without arguments there are no names
  <Named extends Options, Positional extends Arguments = Record<never, never>>(
    definition: CommandDefinition<Positional, Named, Context, Outcome>,
  ): Command<Context, Outcome> => {
    const { name, about, arguments: args = {}, options } = definition;
    return {
      name,
      about,
      arguments: args,
      options,
      run: (typed, context) =>
        definition.run(parse(args, options, typed) as Values<Positional> & Values<Named>, context),
    };
  };

interface ParameterOptions {
  many?: boolean;
  choices?: readonly string[];
}

/** Makes an option with a value. */
export const option = <Schema extends z.ZodType>(
  placeholder: string,
  about: string,
  schema: Schema,
  { many = false, choices = [] }: ParameterOptions = {},
): Option<Schema> => ({ placeholder, about, schema, many, choices });

/** Makes an option without a value. */
export const flag = <Schema extends z.ZodType>(about: string, schema: Schema): Option<Schema> => ({
  placeholder: undefined,
  about,
  schema,
  many: false,
  choices: [],
});

/** Makes a positional argument; with `many` it accepts one or more values and must be the last. */
export const argument = <Schema extends z.ZodType>(
  placeholder: string,
  about: string,
  schema: Schema,
  { many = false, choices = [] }: ParameterOptions = {},
): Argument<Schema> => ({ placeholder, about, schema, many, choices });

/** Returns a property's name as the user types it: "--dry-run" for "dryRun". */
export const flagName = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const isRequired = ({ schema }: Option): boolean => !schema.safeParse(undefined).success;

/** Parses the values of options; throws a usage error that lists every fault. */
export const parseOptions = <Named extends Options>(options: Named, typed: Typed): Values<Named> =>
  parse({}, options, typed) as Values<Named>;

function parse(args: Arguments, options: Options, typed: Typed): Record<string, unknown> {
  const faults: string[] = [];
  const named = [
    ...Object.entries(args).map(([name, { placeholder, schema }]) => ({ name, label: placeholder, schema })),
    ...Object.entries(options).map(([name, { schema }]) => ({ name, label: flagName(name), schema })),
  ];
  const parsed = named.map(({ name, label, schema }) => {
    const result = schema.safeParse(typed[name]);
    if (!result.success) {
      const reasons =
        typed[name] === undefined
          ? "is required"
          : [...new Set(result.error.issues.map(({ message }) => message))].join("; ");
      faults.push(`${label} ${reasons}`);
    }
    return [name, result.data] as const;
  });
  if (faults.length > 0) throw usageError(`${faults.join(". ")}.`);
  return Object.fromEntries(parsed);
}
