/** The query of an address: every name with one text. */
export type Search = Record<string, string | undefined>;
