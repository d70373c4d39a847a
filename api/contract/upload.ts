import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { z } from "zod";
import { ServiceError } from "../../domain/errors.ts";
import { mediaType, requireUncompressed } from "../http/request-body.ts";

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
}

/** A request's body, to be read once, as fast as its reader takes it. */
export interface Upload {
  /** One of the types that the endpoint offers. */
  type: string;
  bytes: AsyncIterable<Buffer>;
  /** SHA-256 of what was read. */
  digest(): string;
  /**
   * The same result. When it is a failure, some of what the client is still sending is taken first: one that is cut off
   * while it sends does not get to read the answer.
   */
  drainOnFailure<Result>(result: Promise<Result>): Promise<Result>;
}

const leftoverBytesMax = 32 * 1024 * 1024;
const leftoverMsMax = 5_000;

/** A request's body as an upload. Throws `unsupported_media_type` for a file of a type that is not offered. */
export function openUpload(request: IncomingMessage, { types, bytesMax }: UploadFormats): Upload {
  const type = typeOf(request, types);
  requireUncompressed(request);
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const hash = createHash("sha256");
  let digest: string | undefined;

  async function* bytes(): AsyncGenerator<Buffer> {
    let length = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
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
    bytes: bytes(),
    digest: () => (digest ??= hash.digest("hex")),
    async drainOnFailure(result) {
      try {
        return await result;
      } catch (error) {
        await takeLeftover(request);
        throw error;
      }
    },
  };
}

/** Takes some of what the client is still sending, which is thrown away: resolves when that is all, or enough. */
export async function takeLeftover(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const ending = new AbortController();
  const { signal } = ending;
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > leftoverBytesMax) ending.abort();
  });
  const end = once(request, "end", { signal });
  await Promise.race([end, pause(leftoverMsMax, undefined, { signal })]).catch(() => undefined);
  ending.abort();
  await end.catch(() => undefined);
}

function typeOf(request: IncomingMessage, types: UploadFormats["types"]): string {
  const given = request.headers["content-type"];
  const { type, charset } = mediaType(given ?? "");
  const found = Object.entries(types).find(([name, { aliases = [] }]) => name === type || aliases.includes(type));
  if (found === undefined) {
    const names = Object.keys(types).join(", ");
    throw new ServiceError("unsupported_media_type", { description: `The Content-Type must be one of ${names}.` });
  }
  if (charset !== undefined && charset !== "utf-8" && charset !== "us-ascii") {
    throw new ServiceError("unsupported_media_type", { description: "The file must be in UTF-8." });
  }
  return found[0];
}

const tooLarge = (bytesMax: number): ServiceError =>
  new ServiceError("payload_too_large", {
    description: `The file is larger than ${Math.floor(bytesMax / 1024 / 1024)} MiB.`,
  });
