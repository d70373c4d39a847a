import type { Request, Response } from "express";
import type { Deps } from "../../contract/deps.ts";

/** One request of a browser for a page. */
export interface PageRequest {
  deps: Deps;
  request: Request;
  response: Response;
  /** The query, every value that a name was given. */
  query: ReadonlyMap<string, readonly string[]>;
  /** The fields of a form that was posted; empty for a GET. */
  form: ReadonlyMap<string, string>;
}

/** The one value of a query parameter; undefined when it is missing, empty or repeated. */
export function single({ query }: Pick<PageRequest, "query">, name: string): string | undefined {
  const values = query.get(name) ?? [];
  return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}
