import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";
import type { Access, PrincipalFor } from "./access.ts";
import {
  common,
  failWith,
  type Described,
  type Endpoint,
  type HandlerCall,
  type StreamedAnswer,
  type StreamFormats,
} from "./endpoint.ts";
import { readQueryFilter, type ListOptions } from "./paging.ts";
import { parseParams, parseQuery, type Shape } from "./parse.ts";
import { saveAs } from "../http/save-as.ts";

/** A handler's result that is sent as a file. */
export class Streamed implements StreamedAnswer {
  readonly type: string;
  readonly fileName: string | undefined;
  readonly pieces: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    type: string,
    fileName: string | undefined,
    pieces: AsyncIterable<string>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.type = type;
    this.fileName = fileName;
    this.pieces = pieces;
    this.headers = headers;
  }
}

interface StreamingDefinition<
  A extends Access,
  Code extends ErrorCode,
  Params extends Shape,
  Query extends Shape,
  Type extends string,
>
  extends Described<Code>, Pick<StreamFormats, "resumed"> {
  access: A;
  params: Params;
  /** Repeated parameters are joined by commas. */
  query: Query;
  /**
   * The media types that `Accept` selects from, the default first, each with the schema of one line, one event or the
   * whole response.
   */
  types: Readonly<Record<Type, z.ZodType>>;
  handle: (
    call: HandlerCall<A, Code, z.output<Params>> & {
      query: z.output<Query>;
      type: Type;
      lastEventId: string | undefined;
      stillAdmitted: () => Promise<boolean>;
    },
  ) => Promise<Streamed>;
}

/** Defines an endpoint that streams one response while it is produced, in the form that the client accepts. */
export function streaming<
  A extends Access,
  const Code extends ErrorCode,
  Params extends Shape,
  Query extends Shape,
  const Type extends string,
>(definition: StreamingDefinition<A, Code, Params, Query, Type>): Endpoint {
  const { access, params, query, types, resumed = false, handle, unknown = {} } = definition;
  return {
    ...common(definition),
    methods: ["get"],
    access,
    params,
    query,
    body: undefined,
    data: z.never(),
    pending: undefined,
    list: undefined,
    file: { types, resumed },
    changes: false,

    respond: (call) =>
      handle({
        ...call,
        // The router has checked that the principal is of the kind that `access` requires.
        principal: call.principal as PrincipalFor[A],
        params: parseParams(params, call.params, unknown),
        query: parseQuery(query, new Map([...call.query].map(([name, values]) => [name, [values.join(",")]]))),
        type: call.accepts(Object.keys(types)) as Type,
        fail: failWith,
      }),
  };
}

interface ExportDefinition<
  A extends Access,
  Code extends ErrorCode,
  Filter extends object,
  Query extends Shape,
  Type extends string,
>
  extends Omit<Described<Code>, "unknown">, Pick<ListOptions<Filter, never>, "filter"> {
  access: A;
  /** Query parameters in addition to the filter. */
  query: Query;
  /** The media types that `Accept` selects from, the default first, each with the schema of one line. */
  types: Readonly<Record<Type, z.ZodType>>;
  handle: (
    call: Omit<HandlerCall<A, Code, undefined>, "params" | "fail"> & {
      filter: Partial<Filter>;
      query: z.output<Query>;
      type: Type;
    },
  ) => Promise<Streamed>;
}

/**
 * Defines a list as one file: streams everything that matches the query's filter, in the form that the client accepts.
 */
export function exported<
  A extends Access,
  const Code extends ErrorCode,
  Filter extends object,
  Query extends Shape,
  const Type extends string,
>(definition: ExportDefinition<A, Code, Filter, Query, Type>): Endpoint {
  const { access, filter, query, types, handle } = definition;
  return {
    ...common(definition),
    methods: ["get"],
    access,
    params: z.object({}),
    query,
    body: undefined,
    data: z.never(),
    pending: undefined,
    list: undefined,
    file: { filter, types },
    changes: false,

    respond: (call) =>
      handle({
        ...call,
        // The router has checked that the principal is of the kind that `access` requires.
        principal: call.principal as PrincipalFor[A],
        filter: readQueryFilter({ filter }, call.query),
        query: parseQuery(query, call.query),
        type: call.accepts(Object.keys(types)) as Type,
      }),
  };
}

/**
 * Sends a file at the client's pace. Stops when the client disconnects. A failure before the first piece is sent like
 * any other error; a later one breaks the connection, so no client mistakes half a file for the whole.
 */
export async function sendStream(
  response: Response,
  { type, fileName, pieces, headers }: StreamedAnswer,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  response.statusCode = 200;
  response.setHeader("Content-Type", type);
  if (fileName !== undefined) saveAs(response, fileName);
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  try {
    if (response.req.method === "HEAD") response.end();
    else await pipeline(Readable.from(continued(first, iterator), { highWaterMark: 1 }), response, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await iterator.return?.();
  }
}

/** Yields a piece that was already taken from an iterator, then the remaining pieces. */
async function* continued(first: IteratorResult<string>, iterator: AsyncIterator<string>): AsyncGenerator<string> {
  for (let result = first; result.done !== true; result = await iterator.next()) yield result.value;
}
