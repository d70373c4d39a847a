import { z } from "zod";
import { limitDefault, limitMax, searchLengthMax, type ListOptions } from "../paging.ts";

type Json = Record<string, unknown>;
type AnyOffer = ListOptions<object, string>;

const direction: Json = { enum: ["asc", "desc"] };

const deepObject: Json = { in: "query", required: false, style: "deepObject", explode: true };

/** The paging parameters of a query. */
export function listParameters({ search, sort, filter }: AnyOffer): Json[] {
  return [
    { name: "limit", in: "query", required: false, schema: limitSchema },
    { name: "offset", in: "query", required: false, schema: offsetSchema },
    ...(search === undefined ? [] : [{ name: "search", in: "query", required: false, schema: searchSchema(search) }]),
    filterParameter(filter),
    { name: "sort", ...deepObject, schema: sortSchema(sort) },
  ];
}

/** The filter of a query. */
export const filterParameter = (filter: AnyOffer["filter"]): Json => ({
  name: "filter",
  ...deepObject,
  schema: filterSchema(filter),
});

/** The same as a body, which GET takes too and which wins over the query. */
export const listBody = ({ search, sort, filter }: AnyOffer): Json => ({
  type: "object",
  properties: {
    limit: limitSchema,
    offset: offsetSchema,
    ...(search === undefined ? {} : { search: searchSchema(search) }),
    filter: { anyOf: [filterSchema(filter), pairs({ value: { type: "string" } }, Object.keys(filter))] },
    sort: { anyOf: [sortSchema(sort), pairs({ direction }, sort)] },
  },
});

const limitSchema: Json = { type: "integer", minimum: 1, maximum: limitMax, default: limitDefault };
const offsetSchema: Json = { type: "integer", minimum: 0, default: 0 };

const searchSchema = (search: string): Json => ({
  type: "string",
  maxLength: searchLengthMax,
  description: `What ${search} contains, in any letter case.`,
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

/** How a filter's text looks, as far as JSON Schema can say it. */
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
