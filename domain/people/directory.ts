/** A directory that manages the people of a realm over SCIM 2.0 (RFC 7643, RFC 7644). */

/** The SCIM attributes whose value may be the pairwise id. */
export const pairwiseAttributes = ["externalId", "userName"] as const;
export type PairwiseAttribute = (typeof pairwiseAttributes)[number];

/**
 * Whether people who are not in a realm yet are created at their first sign-in, or not: then the directory or a bulk
 * job creates them first.
 */
export const newPeopleFrom = ["sign-in", "scim"] as const;
export type NewPeopleFrom = (typeof newPeopleFrom)[number];

/** The person's e-mail address that the service keeps, with its labels as the directory sent them. */
export interface DirectoryEmail {
  value: string;
  /** Undefined: the label stays. */
  type?: string;
  primary?: boolean;
}

/** The attributes that a request sets. Undefined: unchanged; null: removed. */
export interface DirectoryChange {
  userName?: string;
  externalId?: string | null;
  displayName?: string | null;
  email?: DirectoryEmail | null;
  active?: boolean;
  /** Changed attributes, by path in lower case. `adds`: the values of a list are added to the existing values. */
  attributes?: ReadonlyMap<string, { value: unknown; adds: boolean }>;
}

/** A comparison of one attribute, or a combination of comparisons. `true` matches everyone, `false` no one. */
export type DirectoryFilter =
  | boolean
  | { not: DirectoryFilter }
  | { and: readonly DirectoryFilter[] }
  | { or: readonly DirectoryFilter[] }
  | TextComparison
  | { attribute: "userName" | "externalId" | "displayName" | "email"; operator: "pr" }
  | { attribute: "id"; operator: "eq"; value: string }
  | { attribute: "active"; operator: "eq"; value: boolean }
  | { attribute: "created" | "updated"; operator: TimeOperator; value: Date };

export const textOperators = ["eq", "ne", "co", "sw", "ew"] as const;
export type TextOperator = (typeof textOperators)[number];

export const timeOperators = ["gt", "ge", "lt", "le"] as const;
export type TimeOperator = (typeof timeOperators)[number];

/** A comparison that ignores letter case, except for `externalId`. */
export interface TextComparison {
  attribute: "userName" | "externalId" | "displayName" | "email";
  operator: TextOperator;
  value: string;
}
