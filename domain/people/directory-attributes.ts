import { z } from "zod";
import { ClaimName, type ClaimRule } from "./upstream-claims.ts";
import type { VlanRule } from "./vlan.ts";

/**
 * Further SCIM attributes that a realm names. For people whom a directory manages, the values of these attributes
 * replace claims in the realm's rules: they decide the VLAN and whether the person may use the realm.
 */

/** The most attributes that a realm can name. */
export const directoryAttributesMax = 10;

/** Attributes that a realm cannot name, because they already have a meaning. */
const meant = /^(?:id|externalid|username|displayname|name|emails|active|password|schemas|meta)(?:\.|$)/;

/**
 * The path of an attribute (RFC 7644 section 3.10), such as `department`, `manager.value`, or with the schema of an
 * extension, `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department`.
 */
export const AttributePath = z
  .string()
  .max(300)
  .regex(
    /^(?:urn:(?:[A-Za-z0-9._-]+:)+)?[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)?$/,
    "must be the path of a SCIM attribute",
  )
  .refine((path) => {
    const lower = path.toLowerCase();
    return (
      !lower.startsWith("urn:ietf:params:scim:schemas:core:") && !meant.test(lower) && !/(?:^|[.:])active$/.test(lower)
    );
  }, "must be an attribute without a meaning of its own");

/** The attribute that replaces a claim. */
export const DirectoryAttribute = z.object({ claim: ClaimName, path: AttributePath });
export type DirectoryAttribute = z.output<typeof DirectoryAttribute>;

/** Returns an attribute as people type and read it: `CLAIM=PATH`. */
export const writtenDirectoryAttribute = ({ claim, path }: DirectoryAttribute): string => `${claim}=${path}`;

/** A realm's rules, and the attributes that replace their claims. */
export interface DirectoryRules {
  attributes: readonly DirectoryAttribute[];
  mayUse: readonly ClaimRule[];
  vlanRules: readonly VlanRule[];
}

const decidesBy = ({ attributes }: Pick<DirectoryRules, "attributes">, rules: readonly ClaimRule[]): boolean =>
  rules.some((rule) => attributes.some(({ claim }) => claim === rule.claim));

/** Returns whether a directory decides who may use the realm and which VLAN people get. */
export const decidedByDirectory = (rules: DirectoryRules): { mayUse: boolean; vlan: boolean } => ({
  mayUse: decidesBy(rules, rules.mayUse),
  vlan: decidesBy(rules, rules.vlanRules),
});

/** Values of attributes as the directory sent them, by path in lower case. */
export type AttributeValues = ReadonlyMap<string, unknown>;

/**
 * Returns a directory's decisions about a person; undefined for a decision that the directory does not make. Claims
 * without an attribute count as absent.
 */
export function decisionsAbout(
  values: AttributeValues,
  rules: DirectoryRules,
): { permitted: boolean | undefined; vlan: string | null | undefined } {
  const decides = decidedByDirectory(rules);
  const isMet = ({ claim, value }: ClaimRule): boolean =>
    rules.attributes.some(
      (named) => named.claim === claim && (textsOf(values.get(named.path.toLowerCase())) ?? []).includes(value),
    );
  return {
    permitted: decides.mayUse ? rules.mayUse.some(isMet) : undefined,
    vlan: decides.vlan ? (rules.vlanRules.find(isMet)?.vlan ?? null) : undefined,
  };
}

/** The most values of an attribute. */
const textsMax = 100;
const Text = z.string().max(255);
const Entry = z.union([Text, z.object({ value: Text })]);
const Values = z.union([Entry.transform((entry) => [entry]), z.array(Entry).max(textsMax)]);

/** Thrown when an attribute has more values than the service accepts. */
export class TooManyValues extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} has more than ${textsMax} values`);
    this.path = path;
  }
}

/**
 * Returns the texts of a value, which can be a text, an object with `value`, or a list of texts and objects. Returns
 * undefined for any other value, and for a text or list that is too long.
 */
export function textsOf(value: unknown): string[] | undefined {
  const read = Values.safeParse(value);
  return read.success ? read.data.map((entry) => (typeof entry === "string" ? entry : entry.value)) : undefined;
}
