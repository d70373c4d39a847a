import { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";
import type { Access, PrincipalFor } from "./access.ts";
import { common, failWith, type Described, type Endpoint, type HandlerCall } from "./endpoint.ts";
import { parseParams, parseQuery, type Shape } from "./parse.ts";
import type { StreamFormats, Streamed } from "./streamed.ts";

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
  /** Parameters that are given more than once are joined by commas. */
  query: Query;
  /** The media types that `Accept` chooses from, the default first, each with what one piece or all of it says. */
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

/** Something of one thing that is made while it is sent, in the form that the client accepts. */
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
        // The router has checked that the principal is of the kind that `access` asks for.
        principal: call.principal as PrincipalFor[A],
        params: parseParams(params, call.params, unknown),
        query: parseQuery(query, new Map([...call.query].map(([name, values]) => [name, [values.join(",")]]))),
        type: call.accepts(Object.keys(types)) as Type,
        fail: failWith,
      }),
  };
}
