import { hash } from "node:crypto";
import type { ScimUser } from "../../db/queries/people/scim-users.ts";
import { emptyReading, isObject, setAt, type NamedAttributes, type Reading } from "./attributes.ts";
import { syntaxFault } from "./scim-error.ts";

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";

/** A person as SCIM shows them (RFC 7643 section 4.1): what is kept, and nothing else. */
export interface UserResource {
  schemas: readonly string[];
  id: string;
  externalId?: string;
  userName: string;
  name?: { formatted: string };
  displayName?: string;
  emails?: readonly { value: string; type: string; primary: boolean }[];
  active: boolean;
  /** Attributes that the realm names, or those of an extension. */
  [further: string]: unknown;
  meta: { resourceType: "User"; created: string; lastModified: string; location: string; version: string };
}

/** Shows a person. `base` is the address of SCIM, without a trailing slash. */
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
      // Of what is shown, so that a change made here is a new version, too.
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

/** Returns a value, or the object around it with the values that it has already. */
const within = (before: unknown, inner: string | undefined, value: unknown): unknown =>
  inner === undefined ? value : Object.fromEntries([...Object.entries(before ?? {}), [inner, value]]);

/**
 * Reads a whole resource, of POST or PUT. An absent attribute stays as it is. A request without `displayName` names the
 * person by `name`.
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

/** The attributes of a response that a request asks for (RFC 7644 section 3.9), by their top-level names. */
export interface Shown {
  attributes: ReadonlySet<string> | undefined;
  excluded: ReadonlySet<string>;
}

/** These always come. */
const always: ReadonlySet<string> = new Set(["id", "schemas"]);

/** Returns the asked attributes of a resource. */
export const shownOf = (resource: UserResource, { attributes, excluded }: Shown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource).filter(([key]) => {
      const name = key.toLowerCase();
      return always.has(name) || ((attributes === undefined || has(attributes, name)) && !has(excluded, name));
    }),
  );

/** Whether names have an attribute, or one of those of an extension. */
const has = (names: ReadonlySet<string>, name: string): boolean =>
  names.has(name) || (name.startsWith("urn:") && [...names].some((each) => each.startsWith(`${name}:`)));

/** Reads a list of names, as text separated by commas or as an array. A schema before a name, and whatever is inside of an attribute, do not count. */
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
