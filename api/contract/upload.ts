import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { ServiceError, type ErrorCode } from "../../domain/errors.ts";
import { within } from "../../runtime/deadline.ts";
import { mediaType, requireUncompressed, type BodyLimits } from "../http/request-body.ts";
import type { Access, PrincipalFor } from "./access.ts";
import {
  answerOf,
  common,
  failWith,
  type Described,
  type Endpoint,
  type HandlerCall,
  type QueryRefusals,
  type Upload,
  type UploadFormats,
} from "./endpoint.ts";
import { parseQuery, type Shape } from "./parse.ts";
import type { Reply } from "./reply.ts";

interface UploadDefinition<A extends Access, Code extends ErrorCode, Query extends Shape, Data extends z.ZodType>
  extends Omit<Described<Code>, "unknown">, QueryRefusals, UploadFormats {
  /** Default: POST. A repeated PUT has the same effect, so PUT needs no Idempotency-Key. */
  method?: "post" | "put";
  access: A;
  query: Query;
  data: Data;
  /** The data of a 202, if the endpoint may return one. */
  pending?: Data;
  handle: (
    call: Omit<HandlerCall<A, Code, undefined>, "params"> & { query: z.output<Query>; upload: Upload },
  ) => Promise<z.input<Data> | Reply<z.input<Data>>>;
}

/**
 * Defines an endpoint that accepts a file up to a size limit, read as it arrives and never held as a whole.
 */
export function uploaded<A extends Access, const Code extends ErrorCode, Query extends Shape, Data extends z.ZodType>(
  definition: UploadDefinition<A, Code, Query, Data>,
): Endpoint {
  const { method = "post", access, query, refusedQuery, data, pending, types, bytesMax, handle } = definition;
  return {
    ...common(definition),
    methods: [method],
    access,
    params: z.object({}),
    query,
    body: undefined,
    data,
    pending,
    list: undefined,
    upload: { types, bytesMax },
    changes: method === "post",

    async respond(call) {
      const { upload } = call;
      if (upload === undefined) throw new Error("the router opens the upload of an endpoint that takes one");
      const answer = await handle({
        ...call,
        // The router has checked that the principal is of the kind that `access` requires.
        principal: call.principal as PrincipalFor[A],
        query: parseQuery(query, call.query, refusedQuery),
        upload,
        fail: failWith,
      });
      return answerOf({ data, pending }, answer);
    },
  };
}

/**
 * Opens a request's body as an upload. Throws `unsupported_media_type` for a type, encoding or compression that the
 * endpoint does not accept, and `payload_too_large` if the declared length is over the limit. Reading the bytes can
 * throw too.
 */
export function openUpload(
  request: IncomingMessage,
  { types, bytesMax }: UploadFormats,
  { silenceMsMax = 30_000 }: BodyLimits = {},
): Upload {
  const { type, charset } = typeOf(request, types);
  requireUncompressed(request);
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const hash = createHash("sha256");
  if (charset !== undefined) hash.update(`${charset}\n`);
  let digest: string | undefined;

  async function* bytes(): AsyncGenerator<Buffer> {
    let length = 0;
    try {
      const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
      const spoken = () => notSilent(chunks.next(), silenceMsMax);
      for (let next = await spoken(); next.done !== true; next = await spoken()) {
        const chunk = next.value;
        length += chunk.length;
        if (length > bytesMax) throw tooLarge(bytesMax);
        hash.update(chunk);
        yield chunk;
      }
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError("invalid_request", { description: "The body ended early.", cause });
    }
  }

  return {
    type,
    charset,
    bytes: bytes(),
    digest: () => (digest ??= hash.digest("hex")),
  };
}

async function notSilent<Next>(next: Promise<Next>, silenceMsMax: number): Promise<Next> {
  const came = await within(silenceMsMax, next);
  if (came !== "late") return came;
  throw new ServiceError("invalid_request", {
    description: `Nothing more of the body came for ${silenceMsMax / 1_000} seconds.`,
  });
}

function typeOf(
  request: IncomingMessage,
  types: UploadFormats["types"],
): { type: string; charset: string | undefined } {
  const given = request.headers["content-type"];
  const { type, charset } = mediaType(given ?? "");
  const found = Object.entries(types).find(([name, { aliases = [] }]) => name === type || aliases.includes(type));
  if (found === undefined) {
    const names = Object.keys(types).join(", ");
    throw new ServiceError("unsupported_media_type", { description: `The Content-Type must be one of ${names}.` });
  }
  const [name, { charsets = [] }] = found;
  if (charset === undefined || charset === "utf-8" || charset === "us-ascii") return { type: name, charset: undefined };
  if (charsets.includes(charset)) return { type: name, charset };
  const others = charsets.length === 0 ? "" : `, or name one of ${charsets.join(", ")} as its charset`;
  throw new ServiceError("unsupported_media_type", { description: `The file must be in UTF-8${others}.` });
}

const tooLarge = (bytesMax: number): ServiceError =>
  new ServiceError("payload_too_large", {
    description: `The file is larger than ${bytesMax < 1024 * 1024 ? `${bytesMax / 1024} KiB` : `${bytesMax / 1024 / 1024} MiB`}.`,
  });
