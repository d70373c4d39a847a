import type { Subject } from "../http/request-context.ts";
import type { Answer } from "../http/respond.ts";
import { z } from "zod";
import type { Page, PageRequest } from "../../db/page.ts";
import { ServiceError, type ErrorCode, type FieldError, type ServiceErrorOptions } from "../../domain/errors.ts";
import type { Scope } from "../../domain/scopes.ts";
import type { Log } from "../../runtime/log.ts";
import type { Access, PrincipalFor } from "./access.ts";
import type { Change } from "./change.ts";
import type { Deps } from "./deps.ts";
import { asksForPage, pageProperties, readIncludes, readPage, type ListOptions } from "./paging.ts";
import { foldNames, parseBody, parseParams, parseQuery, type Shape } from "./parse.ts";
import type { Prefer } from "./prefer.ts";
import type { Principal } from "./principal.ts";
import { Reply } from "./reply.ts";

export type Method = "get" | "post" | "put" | "delete";
export type ApiVersion = "1.0" | "2.0";

/** The answer of operations that have nothing to tell but that they are done. */
export const Done = z.literal(true);
export const done = true as const;

/** Makes an error of one of these codes, to be thrown. */
export type Fail<Code extends ErrorCode> = (code: Code, options?: ServiceErrorOptions) => ServiceError;

/** A request as the router hands it over: taken apart, not yet understood. */
export interface IncomingCall {
  deps: Deps;
  principal: Principal | undefined;
  method: Method;
  params: Readonly<Record<string, string>>;
  query: ReadonlyMap<string, readonly string[]>;
  /** The JSON value of the body; undefined when there is none. */
  body: unknown;
  /** The body of an endpoint that takes a file. */
  upload: Upload | undefined;
  version: ApiVersion;
  prefer: Prefer;
  /** Which of these media types the client wants most; the first one when it does not say, or wants none of them. */
  accepts: (types: readonly string[]) => string;
  change: Change;
  /** Throws `precondition_failed` unless the client's `If-Match`, if it sent one, has the tag of this as it is read now. */
  requireMatch: (data: unknown) => void;
  /** The last event that a client knows of that was cut off. */
  lastEventId: string | undefined;
  /** Whether the access token still speaks for who is asking, for answers that take long. */
  stillAdmitted: () => Promise<boolean>;
  requestId: string;
  /** Says what the request turned out to be about, for its line in the log. */
  concerns: (subject: Subject) => void;
  log: Log;
  /** Aborted when the client goes away. */
  signal: () => AbortSignal;
}

/** The media types that a file may have. */
export interface UploadFormats {
  types: Readonly<Record<string, UploadType>>;
  /** Larger files are refused. */
  bytesMax: number;
}

interface UploadType {
  /** What one such file says. */
  schema: z.ZodType;
  /** Other names that clients have for the type. */
  aliases?: readonly string[];
  /** Encodings that a client may name for it, in addition to UTF-8. */
  charsets?: readonly string[];
}

/** A request's body, to be read once, as fast as its reader takes it. */
export interface Upload {
  /** One of the types that the endpoint offers. */
  type: string;
  /** One of the encodings that its type offers; undefined: UTF-8. */
  charset: string | undefined;
  bytes: AsyncIterable<Buffer>;
  /** SHA-256 of what was read, and of how it is to be read when that is not as UTF-8. */
  digest(): string;
}

/** What an endpoint streams: the media types it comes in, the default first, each with what one line or all of it says. */
export interface StreamFormats {
  types: Readonly<Record<string, z.ZodType>>;
  /** Of a list that comes as a file. */
  filter?: ListOptions<object, string>["filter"];
  /** A client that was cut off can resume where it stopped, with `Last-Event-ID`. */
  resumed?: boolean;
}

/** An answer as a file that is made while it is sent. */
export interface StreamedAnswer {
  /** With its parameters, as in `Content-Type`. */
  readonly type: string;
  /** What the file is called when it is saved: letters, digits, dots and hyphens. Undefined for what is not for saving. */
  readonly fileName: string | undefined;
  /** The next piece is read only when the client has taken all earlier pieces. */
  readonly pieces: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
}

/** An endpoint as router, OpenAPI document and access matrix see it. */
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
  /** What a 202 carries, for endpoints that may answer one. */
  pending: z.ZodType | undefined;
  secret: boolean;
  list: ListOptions<object, string> | undefined;
  /** What is read as a stream instead of JSON. */
  upload?: UploadFormats;
  /** What is streamed as a file instead of answered in the wrapper. */
  file?: StreamFormats;
  errors: readonly ErrorCode[];
  changes: boolean;
  /** Heeds `If-Match`. */
  conditional?: boolean;
  respond: (call: IncomingCall) => Promise<Answer | StreamedAnswer>;
}

export interface Described<Code extends ErrorCode> {
  operation: string;
  summary: string;
  description?: string;
  path: string;
  /** Whose address the path hangs off, for the document; both lead here. Default: the API's. */
  host?: "api" | "auth";
  /** The scope that is needed in addition. */
  scope?: Scope;
  /** Scopes that are needed in addition to that one. */
  furtherScopes?: readonly Scope[];
  /** The codes it can fail with, in addition to those that every endpoint of its kind has. */
  errors: readonly Code[];
  /** Its answer carries a key or a token: nobody keeps it, not even to compare. */
  secret?: boolean;
  /** What an unusable identifier in the path answers: the same as one that does not exist. */
  unknown?: Partial<Record<string, Code>>;
}

export interface HandlerCall<A extends Access, Code extends ErrorCode, Params> extends Pick<
  IncomingCall,
  "deps" | "method" | "version" | "prefer" | "change" | "requireMatch" | "requestId" | "concerns" | "log" | "signal"
> {
  principal: PrincipalFor[A];
  params: Params;
  /** An error of this endpoint; only the codes it lists. */
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
> extends Described<Code> {
  method: Method | readonly Method[];
  access: A;
  params?: Params;
  query?: Query;
  body?: Body;
  data: Data;
  pending?: Pending;
  /** Changes something, and honours Idempotency-Key by way of `change`. */
  changes?: boolean;
  /** Heeds `If-Match`, by way of `requireMatch` with what the matching GET answers, in the transaction that changes it. */
  conditional?: boolean;
  /** What is wrong with a body that its schema cannot see, since it depends on the time. */
  faultsAt?: (given: Readonly<Record<string, unknown>>, at: Date) => FieldError[];
  handle: (
    call: HandlerCall<A, Code, z.output<Params>> & { query: z.output<Query>; body: z.output<Body> },
  ) => Promise<z.input<Data> | Reply<z.input<Data> | z.input<Pending>>>;
}

/** How handlers fail. */
export const failWith: Fail<ErrorCode> = (code, options) => new ServiceError(code, options);

/**
 * One endpoint: what it accepts, who may call it, what it answers, how it can fail, and what it does. Everything else
 * (routes, document, access matrix) is derived from this.
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
        // The router has checked that the principal is of the kind that `access` asks for.
        principal: call.principal as PrincipalFor[A],
        params: parseParams(params, call.params, unknown),
        query: parseQuery(query, call.query),
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
      /** What the client wants beside the list, of what it offers. */
      includes: ReadonlySet<string>;
    },
  ) => Promise<Page<z.input<Item>> & { included?: Readonly<Record<string, unknown>> }>;
  /** The list's first form, not paginated: what version 1.0 answers to a GET that asks for nothing of a page. */
  firstForm?: (call: HandlerCall<A, Code, z.output<Params>>) => Promise<z.input<Item>[]>;
}

/** A list in pages, under GET and POST alike unless it says otherwise. */
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

/** What an endpoint of any kind takes over from its definition. */
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

/** A handler's answer for the wrapper: 200 with data, or what its reply says. */
export function answerOf({ data, pending }: Pick<Endpoint, "data" | "pending">, answer: unknown): Answer {
  if (!(answer instanceof Reply)) return { status: 200, data: checked(data, answer), headers: {} };
  const schema = answer.status === 202 && pending !== undefined ? pending : data;
  return { status: answer.status, data: checked(schema, answer.data), headers: answer.headers };
}

/** An answer that does not match its schema is a bug: it is logged and answered with 500, never sent. */
function checked(schema: z.ZodType, data: unknown): unknown {
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new Error("an answer does not fit its schema", { cause: parsed.error });
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

/** Whether an endpoint's answers to a method may be kept and compared: what is read, by somebody, and is no secret. */
export const isCacheable = ({ access, secret, file }: Endpoint, method: Method): boolean =>
  method === "get" && access !== "public" && !secret && file === undefined;
