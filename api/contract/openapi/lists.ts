import { z } from "zod";
import type { Components, Json } from "./components.ts";
import type { ListOptions } from "../paging.ts";
import { pageItemsDefault, pageItemsMax, searchLengthMax } from "../../../domain/limits.ts";

type AnyOffer = ListOptions<object, string>;

const direction: Json = { enum: ["asc", "desc"] };

const deepObject: Json = { in: "query", required: false, style: "deepObject", explode: true };

/** Creates the schemas of lists' requests, each described once as a component named after the operation. */
export function createListSchemas({ define }: Pick<Components, "define">) {
  const filterOf = (operation: string, filter: AnyOffer["filter"]): Json =>
    define(`${capitalized(operation)}Filter`, filterSchema(filter));
  const sortOf = (operation: string, sort: AnyOffer["sort"]): Json =>
    define(`${capitalized(operation)}Sort`, sortSchema(sort));

  const filterParameter = (operation: string, filter: AnyOffer["filter"]): Json => ({
    name: "filter",
    ...deepObject,
    schema: filterOf(operation, filter),
  });
  return {
    filterParameter,

    /** The paging parameters of a query. */
    parameters: (operation: string, { search, sort, filter, includes }: AnyOffer): Json[] => [
      { name: "limit", in: "query", required: false, schema: limitSchema },
      { name: "offset", in: "query", required: false, schema: offsetSchema },
      ...(search === undefined ? [] : [{ name: "search", in: "query", required: false, schema: searchSchema(search) }]),
      filterParameter(operation, filter),
      { name: "sort", ...deepObject, schema: sortOf(operation, sort) },
      ...(includes === undefined ? [] : [includeParameter(Object.keys(includes))]),
    ],

    /**
     * The same parameters, except `include`, as a JSON body, which GET accepts too; the body takes precedence over the
     * query.
     */
    body: (operation: string, { search, sort, filter }: AnyOffer): Json =>
      define(`${capitalized(operation)}Body`, {
        type: "object",
        properties: {
          limit: limitSchema,
          offset: offsetSchema,
          ...(search === undefined ? {} : { search: searchSchema(search) }),
          filter: { anyOf: [filterOf(operation, filter), pairs({ value: { type: "string" } }, Object.keys(filter))] },
          sort: { anyOf: [sortOf(operation, sort), pairs({ direction }, sort)] },
        },
      }),
  };
}

const includeParameter = (words: readonly string[]): Json => ({
  name: "include",
  in: "query",
  required: false,
  schema: { type: "string", description: `Additional content of the response, comma-separated: ${words.join(", ")}.` },
});

const capitalized = (operation: string): string => operation.charAt(0).toUpperCase() + operation.slice(1);

const limitSchema: Json = { type: "integer", minimum: 1, maximum: pageItemsMax, default: pageItemsDefault };
const offsetSchema: Json = { type: "integer", minimum: 0, default: 0 };

const searchSchema = (search: string): Json => ({
  type: "string",
  maxLength: searchLengthMax,
  description: `Text that ${search} contains, in any letter case.`,
});

const filterSchema = (filter: AnyOffer["filter"]): Json => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(filter as Record<string, z.ZodType>).map(([key, schema]) => [
      key,
      { ...textOf(schema), type: "string" },
    ]),
  ),
  additionalProperties: false,
});

/** Returns the schema of a filter's text, as far as JSON Schema can describe it. */
function textOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  return rest;
}

const sortSchema = (sort: readonly string[]): Json => ({
  type: "object",
  properties: Object.fromEntries(sort.map((key) => [key, direction])),
  additionalProperties: false,
});

const pairs = (rest: Json, keys: readonly string[]): Json => ({
  type: "array",
  items: { type: "object", required: ["key"], properties: { key: { enum: [...keys] }, ...rest } },
});
