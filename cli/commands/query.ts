import type { ListQuery } from "../service/pages.ts";

/** The keys that somebody typed are sent as they are; which of them a list has is the service's to say. */
export const asQuery = (query: ListQuery): never => query as never;
