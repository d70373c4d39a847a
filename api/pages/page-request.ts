import type { Request, Response } from "express";
import type { Deps } from "../contract/deps.ts";

/** A browser's request for a page. */
export interface PageRequest {
  deps: Deps;
  request: Request;
  response: Response;
  /** The query, with every value of each name. */
  query: ReadonlyMap<string, readonly string[]>;
  /** The fields of a posted form; empty for a GET. */
  form: ReadonlyMap<string, string>;
}

/** Returns the only value of a query parameter; undefined if it is missing, empty or repeated. */
export function single({ query }: Pick<PageRequest, "query">, name: string): string | undefined {
  const values = query.get(name) ?? [];
  return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}
