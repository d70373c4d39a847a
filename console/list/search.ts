/** The query of an address: one text per name. */
export type Search = Record<string, string | undefined>;
