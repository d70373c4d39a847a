import { readFileSync } from "node:fs";
import { z } from "zod";
import { withMaskedPassword, withPassword } from "./server-url.ts";
import { Unstartable } from "./unstartable.ts";
import { variables, type Variable } from "./variables.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** The configuration of a process, read once; it contains only the requested variables. */
export type Config<Names extends Variable> = Readonly<{
  [Name in Names]: z.output<(typeof variables)[Name]["schema"]>;
}>;

/** Thrown when the configuration cannot be used. The message lists every fault, one per line. */
export class ConfigError extends Unstartable {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(["The configuration cannot be used:", ...faults.map((fault) => `  - ${fault}`)].join("\n"));
    this.faults = faults;
  }
}

/**
 * Reads the named variables. `NAME_FILE` names a file that contains the variable's value, for mounted secrets. An empty
 * variable counts as not set; an empty file is an empty value. Puts a separate password into its server's URL. Throws a {@link ConfigError} that lists
 * every fault, including unknown `REALMPASS_` names.
 */
export function loadConfig<Names extends Variable>(names: readonly Names[], env: Env): Config<Names> {
  const faults = unknownNames(env);
  const values: Record<string, unknown> = {};

  for (const name of names) {
    const raw = rawValue(name, env, faults);
    const parsed = (variables[name].schema as z.ZodType).safeParse(raw);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(`${name}: ${parsed.error.issues.map(({ message }) => message).join("; ")}`);
  }

  if (faults.length > 0) throw new ConfigError(faults);
  for (const [name, passwordName] of passwordsOfUrls) {
    const { [name]: url, [passwordName]: password } = values;
    if (typeof url === "string" && typeof password === "string") values[name] = withPassword(url, password);
  }
  return Object.freeze(values) as Config<Names>;
}

const passwordsOfUrls = [
  ["DATABASE_URL", "DATABASE_PASSWORD"],
  ["QUEUE_DATABASE_URL", "QUEUE_DATABASE_PASSWORD"],
  ["REDIS_URL", "REDIS_PASSWORD"],
] as const satisfies readonly (readonly [Variable, Variable])[];

function rawValue(name: Variable, env: Env, faults: string[]): string | undefined {
  const direct = env[name];
  const file = env[`${name}_FILE`];
  if (file === undefined || file === "") return direct === "" ? undefined : direct;
  if (direct !== undefined && direct !== "") {
    faults.push(`${name}: set either ${name} or ${name}_FILE, not both`);
    return undefined;
  }
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    faults.push(`${name}_FILE: cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
    return undefined;
  }
}

const unknownNames = (env: Env): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith("REALMPASS_"))
    .filter((name) => !Object.hasOwn(variables, name) && !Object.hasOwn(variables, name.replace(/_FILE$/, "")))
    .map((name) => `${name}: no process reads this variable; is it a typing error?`);

/** Returns the configuration for display: the values in force, with secrets masked. */
export const maskedConfig = (config: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      value === undefined ? null : maskedValue(name as Variable, value),
    ]),
  );

const maskedValue = (name: Variable, value: unknown): unknown => {
  const variable = variables[name];
  if ("secret" in variable) return "********";
  return "url" in variable && typeof value === "string" ? withMaskedPassword(value) : value;
};
