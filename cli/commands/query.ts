import type { ListQuery } from "../service/pages.ts";

/** Passes the user's keys on unchanged; the service decides which keys a list supports. */
export const asQuery = (query: ListQuery): never => query as never;
