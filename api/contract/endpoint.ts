import type { Subject } from "../http/request-context.ts";
import type { Answer } from "../http/respond.ts";
import { z } from "zod";
import type { Page, PageRequest } from "../../db/page.ts";
import { ServiceError, type ErrorCode, type FieldError, type ServiceErrorOptions } from "../../domain/errors.ts";
import type { Scope } from "../../domain/people/scopes.ts";
import type { Log } from "../../runtime/log.ts";
import type { Access, PrincipalFor } from "./access.ts";
import type { Change } from "./idempotent-change.ts";
import type { Deps } from "./deps.ts";
import { asksForPage, pageProperties, readIncludes, readPage, type ListOptions } from "./paging.ts";
import { foldNames, parseBody, parseParams, parseQuery, type Shape } from "./parse.ts";
import type { Prefer } from "./prefer.ts";
import type { Principal } from "./principal.ts";
import { Reply } from "./reply.ts";

export type Method = "get" | "post" | "put" | "delete";
export type ApiVersion = "1.0" | "2.0";

/** The result of operations that return no data. */
export const Done = z.literal(true);
export const done = true as const;

/** Creates an error with one of these codes, to be thrown. */
export type Fail<Code extends ErrorCode> = (code: Code, options?: ServiceErrorOptions) => ServiceError;

/** A request from the router: parsed, not yet validated. */
export interface IncomingCall {
  deps: Deps;
  principal: Principal | undefined;
  method: Method;
  params: Readonly<Record<string, string>>;
  query: ReadonlyMap<string, readonly string[]>;
  /** The JSON value of the body; undefined if there is none. */
  body: unknown;
  /** The body of an endpoint that accepts a file. */
  upload: Upload | undefined;
  version: ApiVersion;
  prefer: Prefer;
  /** Returns the media type that the client prefers; the first one if it has no preference or accepts none of them. */
  accepts: (types: readonly string[]) => string;
  change: Change;
  /** Throws `precondition_failed` if the client sent an `If-Match` without the current tag of `data`. */
  requireMatch: (data: unknown) => void;
  /** The id of the last event that a reconnecting client received. */
  lastEventId: string | undefined;
  /** Returns whether the access token is still valid; for long responses. */
  stillAdmitted: () => Promise<boolean>;
  requestId: string;
  /** Sets the subject of the request, for its log line. */
  concerns: (subject: Subject) => void;
  log: Log;
  /** Aborted when the client disconnects. */
  signal: () => AbortSignal;
}

/** The media types of an uploaded file. */
export interface UploadFormats {
  types: Readonly<Record<string, UploadType>>;
  /** Larger files are refused. */
  bytesMax: number;
}

interface UploadType {
  /** The content of a file of this type. */
  schema: z.ZodType;
  /** Other names of the type in use by clients. */
  aliases?: readonly string[];
  /** Encodings that a client may name, in addition to UTF-8. */
  charsets?: readonly string[];
}

/** A request's body, to be read once, at its reader's pace. */
export interface Upload {
  /** One of the types that the endpoint accepts. */
  type: string;
  /** One of the encodings that the endpoint accepts for this type; undefined: UTF-8. */
  charset: string | undefined;
  bytes: AsyncIterable<Buffer>;
  /** Returns the SHA-256 of the bytes read, and of the encoding unless it is UTF-8. */
  digest(): string;
}

/**
 * The media types of a streamed response, the default first, each with the schema of one line, one event or the whole
 * response.
 */
export interface StreamFormats {
  types: Readonly<Record<string, z.ZodType>>;
  /** The filter of a list that is exported as a file. */
  filter?: ListOptions<object, string>["filter"];
  /** A disconnected client can resume with `Last-Event-ID`. */
  resumed?: boolean;
}

/** A response as a file, produced while it is sent. */
export interface StreamedAnswer {
  /** With its parameters, as in `Content-Type`. */
  readonly type: string;
  /** The name of the saved file: letters, digits, dots and hyphens. Undefined if the response is not for saving. */
  readonly fileName: string | undefined;
  /** The next piece is read only after the client has received all earlier ones. */
  readonly pieces: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
}

/** An endpoint as the router, the OpenAPI document and the access matrix see it. */
export interface Endpoint {
  operation: string;
  summary: string;
  description: string | undefined;
  methods: readonly Method[];
  path: string;
  host: "api" | "auth";
  access: Access;
  scope: Scope | undefined;
  furtherScopes: readonly Scope[];
  params: z.ZodObject;
  query: z.ZodObject | undefined;
  body: z.ZodObject | undefined;
  data: z.ZodType;
  /** The data of a 202, if the endpoint may return one. */
  pending: z.ZodType | undefined;
  secret: boolean;
  list: ListOptions<object, string> | undefined;
  /** Set if the body is read as a stream instead of JSON. */
  upload?: UploadFormats;
  /** Set if the response is streamed as a file instead of wrapped. */
  file?: StreamFormats;
  errors: readonly ErrorCode[];
  changes: boolean;
  /** Supports `If-Match`. */
  conditional?: boolean;
  respond: (call: IncomingCall) => Promise<Answer | StreamedAnswer>;
}

export interface Described<Code extends ErrorCode> {
  operation: string;
  summary: string;
  description?: string;
  path: string;
  /**
   * The address that the OpenAPI document shows for the path; the path exists at both addresses. Default: the API's.
   */
  host?: "api" | "auth";
  /** The scope that is required in addition to `access`. */
  scope?: Scope;
  /** Scopes that are required in addition to `scope`. */
  furtherScopes?: readonly Scope[];
  /** The codes that the endpoint can fail with, in addition to the codes of its kind. */
  errors: readonly Code[];
  /** The response contains a key or a token: it is never cached, not even for revalidation. */
  secret?: boolean;
  /** By parameter: the code for a malformed identifier in the path, the same code as for an unknown identifier. */
  unknown?: Partial<Record<string, Code>>;
}

/** Why the query's parameter is refused at an endpoint that reads it from the body. */
export const inBody = "must be in the body";

export interface QueryRefusals {
  /**
   * By name: parameters of the query that have an effect at related endpoints but not here, and why each is refused.
   * Unknown parameters are ignored.
   */
  refusedQuery?: Readonly<Record<string, string>>;
}

export interface HandlerCall<A extends Access, Code extends ErrorCode, Params> extends Pick<
  IncomingCall,
  "deps" | "method" | "version" | "prefer" | "change" | "requireMatch" | "requestId" | "concerns" | "log" | "signal"
> {
  principal: PrincipalFor[A];
  params: Params;
  /** Creates an error with one of this endpoint's codes. */
  fail: Fail<Code>;
}

// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- an object without properties is meant
type NoFields = z.ZodObject<Record<never, never>>;

interface EndpointDefinition<
  A extends Access,
  Code extends ErrorCode,
  Params extends Shape,
  Query extends Shape,
  Body extends Shape,
  Data extends z.ZodType,
  Pending extends z.ZodType,
>
  extends Described<Code>, QueryRefusals {
  method: Method | readonly Method[];
  access: A;
  params?: Params;
  query?: Query;
  body?: Body;
  data: Data;
  pending?: Pending;
  /** Changes something, and supports Idempotency-Key through `change`. */
  changes?: boolean;
  /** Supports `If-Match`: calls `requireMatch` with the data of the matching GET, in the transaction of the change. */
  conditional?: boolean;
  /** Returns the faults of a body that its schema cannot detect because they depend on the time. */
  faultsAt?: (given: Readonly<Record<string, unknown>>, at: Date) => FieldError[];
  handle: (
    call: HandlerCall<A, Code, z.output<Params>> & { query: z.output<Query>; body: z.output<Body> },
  ) => Promise<z.input<Data> | Reply<z.input<Data> | z.input<Pending>>>;
}

export const failWith: Fail<ErrorCode> = (code, options) => new ServiceError(code, options);

/**
 * Defines one endpoint: its input, its callers, its responses, its errors and its work. Routes, document and access
 * matrix are all derived from this.
 */
export function endpoint<
  A extends Access,
  const Code extends ErrorCode = never,
  Params extends Shape = NoFields,
  Query extends Shape = NoFields,
  Body extends Shape = NoFields,
  Data extends z.ZodType = z.ZodType,
  Pending extends z.ZodType = z.ZodNever,
>(definition: EndpointDefinition<A, Code, Params, Query, Body, Data, Pending>): Endpoint {
  const { method, access, params, query, body, data, pending, handle, unknown = {}, faultsAt = () => [] } = definition;
  return {
    ...common(definition),
    methods: typeof method === "string" ? [method] : method,
    access,
    params: params ?? z.object({}),
    query,
    body,
    data,
    pending,
    list: undefined,
    changes: definition.changes ?? false,
    conditional: definition.conditional ?? false,

    async respond(call) {
      const answer = await handle({
        ...call,
        // The router has checked that the principal is of the kind that `access` requires.
        principal: call.principal as PrincipalFor[A],
        params: parseParams(params, call.params, unknown),
        query: parseQuery(query, call.query, definition.refusedQuery),
        body: parseBody(body, call.body, (given) => faultsAt(given, call.deps.clock.now())),
        fail: failWith,
      });
      return answerOf({ data, pending }, answer);
    },
  };
}

interface ListDefinition<
  A extends Access,
  Code extends ErrorCode,
  Params extends Shape,
  Item extends z.ZodType,
  Filter extends object,
  SortKey extends string,
>
  extends Described<Code>, ListOptions<Filter, SortKey> {
  access: A;
  /** Default: GET and POST. */
  methods?: readonly Method[];
  params?: Params;
  item: Item;
  handle: (
    call: HandlerCall<A, Code, z.output<Params>> & {
      page: PageRequest<Filter, SortKey>;
      /** The additions to the list that the client asks for. */
      includes: ReadonlySet<string>;
    },
  ) => Promise<Page<z.input<Item>> & { included?: Readonly<Record<string, unknown>> }>;
  /** Returns the whole list: version 1.0's response to a GET without any paging parameter. */
  firstForm?: (call: HandlerCall<A, Code, z.output<Params>>) => Promise<z.input<Item>[]>;
}

/** Defines an endpoint that returns a list in pages, under GET and POST by default. */
export function paginated<
  A extends Access,
  const Code extends ErrorCode = never,
  Params extends Shape = NoFields,
  Item extends z.ZodType = z.ZodType,
  Filter extends object = object,
  SortKey extends string = never,
>(definition: ListDefinition<A, Code, Params, Item, Filter, SortKey>): Endpoint {
  const { access, params, item, handle, firstForm, unknown = {} } = definition;
  const data = z.array(item);
  return {
    ...common(definition),
    methods: definition.methods ?? ["get", "post"],
    access,
    params: params ?? z.object({}),
    query: undefined,
    body: undefined,
    data,
    pending: undefined,
    list: definition,
    changes: false,

    async respond(call) {
      const handlerCall = {
        ...call,
        principal: call.principal as PrincipalFor[A],
        params: parseParams(params, call.params, unknown),
        fail: failWith,
      };
      const body = foldNames(pageProperties, call.body);
      const plain = call.version === "1.0" && call.method === "get" && isEmpty(body) && !asksForPage(call.query);
      if (firstForm && plain) {
        return { status: 200, data: checked(data, await firstForm(handlerCall)), headers: {} };
      }
      const page = readPage(definition, { body, query: call.query });
      const includes = readIncludes(definition.includes, call.query);
      const { items, total, included = {} } = await handle({ ...handlerCall, page, includes });
      return {
        status: 200,
        data: checked(data, items),
        page: { limit: page.limit, offset: page.offset, total },
        included: checkedIncluded(definition.includes, included),
        headers: {},
      };
    },
  };
}

/** Returns the properties that every kind of endpoint copies from its definition. */
export const common = <Code extends ErrorCode>({
  operation,
  summary,
  description,
  path,
  host = "api",
  scope,
  furtherScopes = [],
  secret = false,
  errors,
}: Described<Code>) => ({
  operation,
  summary,
  description,
  path,
  host,
  scope,
  furtherScopes,
  secret,
  errors,
});

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/**
 * Converts a handler's result to an answer: a {@link Reply} keeps its status and headers; any other result becomes a
 * 200.
 */
export function answerOf({ data, pending }: Pick<Endpoint, "data" | "pending">, answer: unknown): Answer {
  if (!(answer instanceof Reply)) return { status: 200, data: checked(data, answer), headers: {} };
  const schema = answer.status === 202 && pending !== undefined ? pending : data;
  return { status: answer.status, data: checked(schema, answer.data), headers: answer.headers };
}

/**
 * Throws if a response does not match its schema. That is a bug: it is logged and becomes a 500, and the response is
 * never sent.
 */
function checked(schema: z.ZodType, data: unknown): unknown {
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new Error("a response does not match its schema", { cause: parsed.error });
  return parsed.data;
}

const checkedIncluded = (
  offered: ListOptions<object, string>["includes"] = {},
  included: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(offered).flatMap(([name, schema]) =>
      Object.hasOwn(included, name) ? [[name, checked(schema, included[name])]] : [],
    ),
  );

/** Returns whether clients may store and revalidate an endpoint's responses: authenticated GETs without secrets or files. */
export const isCacheable = ({ access, secret, file }: Endpoint, method: Method): boolean =>
  method === "get" && access !== "public" && !secret && file === undefined;
