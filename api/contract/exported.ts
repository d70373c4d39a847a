import { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";
import type { Access, PrincipalFor } from "./access.ts";
import { common, type Described, type Endpoint, type HandlerCall } from "./endpoint.ts";
import { readQueryFilter, type ListOptions } from "./paging.ts";
import type { Streamed } from "./streamed.ts";

interface ExportDefinition<A extends Access, Code extends ErrorCode, Filter extends object, Type extends string>
  extends Omit<Described<Code>, "unknown">, Pick<ListOptions<Filter, never>, "filter"> {
  access: A;
  /** The media types that `Accept` chooses from, the default first, each with what one line of it says. */
  types: Readonly<Record<Type, z.ZodType>>;
  handle: (
    call: Omit<HandlerCall<A, Code, undefined>, "params" | "fail"> & { filter: Partial<Filter>; type: Type },
  ) => Promise<Streamed>;
}

/** A list as one file: everything that matches the filter of the query, streamed, in the form that the client accepts. */
export function exported<
  A extends Access,
  const Code extends ErrorCode,
  Filter extends object,
  const Type extends string,
>(definition: ExportDefinition<A, Code, Filter, Type>): Endpoint {
  const { access, filter, types, handle } = definition;
  return {
    ...common(definition),
    methods: ["get"],
    access,
    params: z.object({}),
    query: undefined,
    body: undefined,
    data: z.never(),
    pending: undefined,
    list: undefined,
    file: { filter, types },
    changes: false,

    respond: (call) =>
      handle({
        ...call,
        // The router has checked that the principal is of the kind that `access` asks for.
        principal: call.principal as PrincipalFor[A],
        filter: readQueryFilter({ filter }, call.query),
        type: call.accepts(Object.keys(types)) as Type,
      }),
  };
}
