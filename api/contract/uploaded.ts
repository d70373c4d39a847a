import { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";
import type { Access, PrincipalFor } from "./access.ts";
import { answerOf, common, failWith, type Described, type Endpoint, type HandlerCall } from "./endpoint.ts";
import { parseQuery, type Shape } from "./parse.ts";
import type { Reply } from "./reply.ts";
import type { Upload, UploadFormats } from "./upload.ts";

interface UploadDefinition<A extends Access, Code extends ErrorCode, Query extends Shape, Data extends z.ZodType>
  extends Omit<Described<Code>, "unknown">, UploadFormats {
  access: A;
  query: Query;
  data: Data;
  /** What a 202 carries. */
  pending: Data;
  handle: (
    call: Omit<HandlerCall<A, Code, undefined>, "params"> & { query: z.output<Query>; upload: Upload },
  ) => Promise<Reply<z.input<Data>>>;
}

/** Takes a file of any size up to a limit, which is read as it comes in and never held as a whole. A change. */
export function uploaded<A extends Access, const Code extends ErrorCode, Query extends Shape, Data extends z.ZodType>(
  definition: UploadDefinition<A, Code, Query, Data>,
): Endpoint {
  const { access, query, data, pending, types, bytesMax, handle } = definition;
  return {
    ...common(definition),
    methods: ["post"],
    access,
    params: z.object({}),
    query,
    body: undefined,
    data,
    pending,
    list: undefined,
    upload: { types, bytesMax },
    changes: true,

    async respond(call) {
      const { upload } = call;
      if (upload === undefined) throw new Error("the router opens the upload of an endpoint that takes one");
      const answer = await handle({
        ...call,
        // The router has checked that the principal is of the kind that `access` asks for.
        principal: call.principal as PrincipalFor[A],
        query: parseQuery(query, call.query),
        upload,
        fail: failWith,
      });
      return answerOf({ data, pending }, answer);
    },
  };
}
