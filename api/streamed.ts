import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import type { z } from "zod";
import type { ListOffer } from "./paging.ts";

/** What an endpoint streams: its filter, and the media types it comes in, the default first, each with what one line says. */
export interface FileOffer {
  filter: ListOffer<object, string>["filter"];
  types: Readonly<Record<string, z.ZodType>>;
}

/** An answer as a file that is made while it is sent. */
export class Streamed {
  /** With its parameters, as in `Content-Type`. */
  readonly type: string;
  /** What the file is called when it is saved. Letters, digits, dots and hyphens. */
  readonly fileName: string;
  /** Asked for the next piece only when the client has taken the ones before. */
  readonly pieces: AsyncIterable<string>;
  constructor(type: string, fileName: string, pieces: AsyncIterable<string>) {
    this.type = type;
    this.fileName = fileName;
    this.pieces = pieces;
  }
}

/**
 * Sends a file as fast as the client takes it. Stops when the client goes away; a failure in the middle breaks the
 * connection, so that nobody takes half a file for the whole.
 */
export async function sendStream(
  response: Response,
  { type, fileName, pieces }: Streamed,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  response.statusCode = 200;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
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
