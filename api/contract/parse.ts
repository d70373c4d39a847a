import { z } from "zod";
import { ServiceError, type ErrorCode, type FieldError } from "../../domain/errors.ts";
import { faultsOf } from "./faults.ts";

export type Shape = z.ZodObject;

/**
 * Parses the parameters of a path. Throws the code in `unknown` for a malformed identifier, as for an unknown one;
 * `invalid_request` if `unknown` has no code for it.
 */
export function parseParams<Params extends Shape>(
  schema: Params | undefined,
  params: Readonly<Record<string, string>>,
  unknown: Partial<Record<string, ErrorCode>>,
): z.output<Params> {
  if (schema === undefined) return {} as z.output<Params>;
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  for (const { path } of parsed.error.issues) {
    const code = unknown[String(path[0])];
    if (code !== undefined) throw new ServiceError(code);
  }
  throw invalid(parsed.error);
}

/**
 * Parses the query's parameters that an endpoint knows; throws for those in `refused`, which has the reasons; ignores the
 * rest. A record is written `name[key]=value`.
 */
export function parseQuery<Query extends Shape>(
  schema: Query | undefined,
  query: ReadonlyMap<string, readonly string[]>,
  refused: Readonly<Record<string, string>> = {},
): z.output<Query> {
  const faults = Object.entries(refused).flatMap(([path, reason]) => (query.has(path) ? [{ path, reason }] : []));
  if (faults.length > 0) throw new ServiceError("invalid_request", { fields: faults });
  if (schema === undefined) return {} as z.output<Query>;
  const known: Record<string, string | Record<string, string>> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    if (isRecord(field as z.ZodType)) {
      if (query.has(name)) throw invalidField(name, `must be written ${name}[key]=value`);
      known[name] = bracketed(name, query);
      continue;
    }
    const values = query.get(name) ?? [];
    if (values.length > 1) throw invalidField(name, "must be given once");
    if (values[0] !== undefined) known[name] = values[0];
  }
  return parsedOrThrow(schema, known);
}

/** Returns whether a parameter is a record with keys chosen by the client. */
export const isRecord = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodRecord || (schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodRecord);

/** Returns the values of `name[key]=value`, by key. */
function bracketed(name: string, query: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  const entries = [...query].flatMap(([key, [value = "", ...others]]): [string, string][] => {
    if (!key.startsWith(`${name}[`) || !key.endsWith("]")) return [];
    if (others.length > 0) throw invalidField(key, "must be given once");
    return [[key.slice(name.length + 1, -1), value]];
  });
  return Object.fromEntries(entries);
}

/**
 * Parses a body's properties that an endpoint knows, in any letter case. A missing body counts as an empty one. Reports
 * the faults of the schema and of `furtherFaults` together.
 */
export function parseBody<Body extends Shape>(
  schema: Body | undefined,
  body: unknown,
  furtherFaults: (given: Readonly<Record<string, unknown>>) => FieldError[] = () => [],
): z.output<Body> {
  if (schema === undefined) return {} as z.output<Body>;
  const given = foldNames(Object.keys(schema.shape), body);
  const further = furtherFaults(given);
  const parsed = schema.safeParse(given);
  if (parsed.success && further.length === 0) return parsed.data;
  throw new ServiceError("invalid_request", {
    fields: [...(parsed.success ? [] : faultsOf(parsed.error)), ...further],
    cause: parsed.error,
  });
}

/**
 * Returns the known properties of a body under their canonical names, whatever their case. Throws for a property in two
 * spellings, and for a body that is not an object.
 */
export function foldNames(names: readonly string[], body: unknown): Record<string, unknown> {
  if (body === undefined) return {};
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalidField("", "the body must be a JSON object");
  }
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  const folded: Record<string, unknown> = {};
  for (const [spelling, value] of Object.entries(body)) {
    const name = byLowerCase.get(spelling.toLowerCase());
    if (name === undefined) continue;
    if (Object.hasOwn(folded, name)) throw invalidField(name, "occurs in two spellings");
    folded[name] = value;
  }
  return folded;
}

function parsedOrThrow<Schema extends Shape>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(parsed.error);
  return parsed.data;
}

const invalid = (error: z.ZodError): ServiceError =>
  new ServiceError("invalid_request", { fields: faultsOf(error), cause: error });

const invalidField = (path: string, reason: string): ServiceError =>
  new ServiceError("invalid_request", { fields: [{ path, reason }] });
