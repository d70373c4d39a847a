import { hash } from "node:crypto";
import type { ScimUser } from "../../db/queries/people/scim-users.ts";
import { emptyReading, isObject, setAt, type NamedAttributes, type Reading } from "./attributes.ts";
import { syntaxFault } from "./scim-error.ts";

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";

/** A person in SCIM's format (RFC 7643 section 4.1), with only the attributes that the service keeps. */
export interface UserResource {
  schemas: readonly string[];
  id: string;
  externalId?: string;
  userName: string;
  name?: { formatted: string };
  displayName?: string;
  emails?: readonly { value: string; type: string; primary: boolean }[];
  active: boolean;
  /** An attribute that the realm names, or an object with such attributes: a complex attribute or an extension. */
  [further: string]: unknown;
  meta: { resourceType: "User"; created: string; lastModified: string; location: string; version: string };
}

/** Returns a person as a SCIM resource. `base` is the address of SCIM, without a trailing slash. */
export function resourceOf(user: ScimUser, { base, named }: { base: string; named: NamedAttributes }): UserResource {
  const { id, externalId, userName, displayName, email } = user;
  const { further, extensions } = furtherOf(user, named);
  const shown = {
    schemas: [userSchema, ...extensions],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    ...(displayName !== null && { name: { formatted: displayName }, displayName }),
    ...(email !== "" && {
      emails: [{ value: email, type: user.emailType ?? "work", primary: user.emailPrimary ?? true }],
    }),
    active: user.offboardedAt === null,
    ...Object.fromEntries(further),
  };
  return {
    ...shown,
    meta: {
      resourceType: "User",
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: `${base}/Users/${id}`,
      // The hash covers all shown attributes, so a change that this service makes also creates a new version.
      version: `W/"${hash("sha256", JSON.stringify(shown), "base64url").slice(0, 16)}"`,
    },
  };
}

/** Returns the named attributes of a person at their places in the resource, and the schemas of extensions among them. */
function furtherOf(
  { attributes }: ScimUser,
  named: NamedAttributes,
): { further: Map<string, unknown>; extensions: string[] } {
  const further = new Map<string, unknown>();
  const extensions: string[] = [];
  const values = new Map(Object.entries(attributes));
  for (const [path, name] of named) {
    const value = values.get(path);
    if (value === undefined) continue;
    const schemaEnd = name.lastIndexOf(":");
    const [head = "", inner] = name.slice(schemaEnd + 1).split(".");
    if (schemaEnd === -1) further.set(head, within(further.get(head), inner, value));
    else {
      const schema = name.slice(0, schemaEnd);
      if (!extensions.includes(schema)) extensions.push(schema);
      const part = new Map(Object.entries((further.get(schema) ?? {}) as Record<string, unknown>));
      part.set(head, within(part.get(head), inner, value));
      further.set(schema, Object.fromEntries(part));
    }
  }
  return { further, extensions };
}

/** Returns the value or, with `inner`, the object `before` with the value added under that name. */
const within = (before: unknown, inner: string | undefined, value: unknown): unknown =>
  inner === undefined ? value : Object.fromEntries([...Object.entries(before ?? {}), [inner, value]]);

/**
 * Reads the whole resource of a POST or PUT. Absent attributes stay as they are. Without `displayName`, `name` becomes
 * the person's name.
 */
export function readResource(body: unknown, named: NamedAttributes): Reading {
  if (!isObject(body)) throw syntaxFault("The body must be an object.");
  const reading = emptyReading(named);
  setAt("", body, reading, { adds: false });
  const { names, change } = reading;
  const given = [names.get("givenName"), names.get("familyName")].filter((part) => typeof part === "string").join(" ");
  const isCleared = names.get("displayName") === null || names.get("formatted") === null;
  const name = names.get("displayName") ?? names.get("formatted") ?? (given === "" ? undefined : given);
  if (name !== undefined || isCleared) change.displayName = name ?? null;
  return reading;
}

/**
 * The attributes that a request includes in the response or excludes from it (RFC 7644 section 3.9), in lower case:
 * top-level names, and whole paths of an extension's attributes.
 */
export interface Shown {
  attributes: ReadonlySet<string> | undefined;
  excluded: ReadonlySet<string>;
}

/** The attributes in every response. */
const always: ReadonlySet<string> = new Set(["id", "schemas"]);

/** Returns the requested attributes of a resource, and those that are in every response. */
export const shownOf = (resource: UserResource, { attributes, excluded }: Shown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource).filter(([key]) => {
      const name = key.toLowerCase();
      return always.has(name) || ((attributes === undefined || has(attributes, name)) && !has(excluded, name));
    }),
  );

/** Returns true if the names include this attribute or, for the schema of an extension, one of its attributes. */
const has = (names: ReadonlySet<string>, name: string): boolean =>
  names.has(name) || (name.startsWith("urn:") && [...names].some((each) => each.startsWith(`${name}:`)));

/**
 * Reads a list of attribute names; each text may contain several, separated by commas. Ignores the user schema before a
 * name, and a sub-attribute or filter after it.
 */
export function namesIn(given: readonly string[]): Set<string> {
  return new Set(
    given
      .flatMap((names) => names.split(","))
      .map((name) =>
        name
          .trim()
          .toLowerCase()
          .replace(`${userSchema.toLowerCase()}:`, "")
          .replace(/^(?!urn:)(.*?)[.[].*$/, "$1"),
      )
      .filter((name) => name !== ""),
  );
}
