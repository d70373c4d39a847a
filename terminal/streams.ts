import type { Readable, Writable } from "node:stream";

export type Input = Readable & { isTTY?: boolean };
export type Terminal = Writable & { isTTY?: boolean; columns?: number };
