import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import type { z } from "zod";
import type { ListOptions } from "./paging.ts";

/** What an endpoint streams: the media types it comes in, the default first, each with what one line or all of it says. */
export interface StreamFormats {
  types: Readonly<Record<string, z.ZodType>>;
  /** Of a list that comes as a file. */
  filter?: ListOptions<object, string>["filter"];
  /** A client that was cut off can resume where it stopped, with `Last-Event-ID`. */
  resumed?: boolean;
}

/** An answer as a file that is made while it is sent. */
export class Streamed {
  /** With its parameters, as in `Content-Type`. */
  readonly type: string;
  /** What the file is called when it is saved: letters, digits, dots and hyphens. Undefined for what is not for saving. */
  readonly fileName: string | undefined;
  /** The next piece is read only when the client has taken all earlier pieces. */
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

/**
 * Sends a file as fast as the client takes it. Stops when the client goes away; a failure in the middle breaks the
 * connection, so that nobody takes half a file for the whole.
 */
export async function sendStream(
  response: Response,
  { type, fileName, pieces, headers }: Streamed,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  response.statusCode = 200;
  response.setHeader("Content-Type", type);
  if (fileName !== undefined) response.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  try {
    await pipeline(Readable.from(pieces, { highWaterMark: 1 }), response, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
