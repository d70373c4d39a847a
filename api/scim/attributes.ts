import { textsOf, type DirectoryAttribute } from "../../domain/people/directory-attributes.ts";
import type { DirectoryChange, DirectoryEmail } from "../../domain/people/directory.ts";
import { isEmailAddress } from "../../domain/people/email.ts";
import { nameFromElsewhere, text } from "../../domain/text.ts";
import { mutabilityFault, pathFault, syntaxFault, valueFault, type ScimError } from "./scim-error.ts";

/** The URN of the user schema (RFC 7643 section 4.1), in lower case because paths are compared in lower case. */
const userSchema = "urn:ietf:params:scim:schemas:core:2.0:user";

/**
 * The attributes that the realm names, in addition to the attributes that the service always keeps: lower-case path to
 * the path as named.
 */
export type NamedAttributes = ReadonlyMap<string, string>;

export const namedAttributes = (attributes: readonly DirectoryAttribute[]): NamedAttributes =>
  new Map(attributes.map(({ path }) => [path.toLowerCase(), path]));

/** A parsed request about one person. */
export interface Reading {
  named: NamedAttributes;
  change: DirectoryChange & { attributes?: Map<string, { value: unknown; adds: boolean }> };
  /** The parts of a name. Without `displayName`, the person's name is made from these parts. */
  names: Map<NamePart, string | null>;
  /** The reasons why attributes cannot be written or removed. An unreadable `active` is thrown at once instead. */
  faults: ScimError[];
  /** The attributes whose value the service cannot keep; they do not fail the request. */
  dropped: Set<string>;
}

type NamePart = "displayName" | "formatted" | "givenName" | "familyName";

export const emptyReading = (named: NamedAttributes): Reading => ({
  named,
  change: {},
  names: new Map(),
  faults: [],
  dropped: new Set(),
});

/**
 * Whether the request adds a value to the existing values. With `add`, an e-mail address counts only if it is primary,
 * of type `work` or without a type, because the other addresses stay.
 */
export interface Manner {
  adds: boolean;
}

interface Attribute {
  set: (value: unknown, reading: Reading, manner: Manner) => void;
  remove: (reading: Reading) => void;
}

/** Longer paths are refused: no attribute that the service keeps has a longer path. */
const pathLengthMax = 1_000;

type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns the value of a property by its name in any letter case; throws if two properties match. Names are compared,
 * never used to index.
 */
export function propertyOf(object: Json, name: string): unknown {
  const [found, second] = Object.entries(object).filter(([key]) => key.toLowerCase() === name);
  if (second !== undefined) throw syntaxFault(`${name} is there twice.`);
  return found?.[1];
}

/** Reads a boolean, or its text in any letter case. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : undefined;
  return word === "true" ? true : word === "false" ? false : undefined;
}

/**
 * Reads a boolean that can also be the only element of an array, bare or as the `value` of an object: some products
 * send all values in this form.
 */
function soleBooleanOf(value: unknown): boolean | undefined {
  if (!Array.isArray(value)) return booleanOf(value);
  if (value.length !== 1) return undefined;
  const [sole] = value as readonly unknown[];
  return booleanOf(isObject(sole) ? propertyOf(sole, "value") : sole);
}

const Name = text(1, 255);
const DisplayName = nameFromElsewhere(1, 200);

const active: Attribute = {
  set(value, { change }) {
    const is = soleBooleanOf(value);
    if (is === undefined) throw valueFault("active", "must be true or false");
    change.active = is;
  },
  remove({ faults }) {
    faults.push(mutabilityFault("active", "cannot be removed"));
  },
};

const userName: Attribute = {
  set(value, { change, faults }) {
    const name = Name.safeParse(value);
    if (name.success) change.userName = name.data;
    else faults.push(valueFault("userName", "must be a text of 1 to 255 characters without control characters"));
  },
  remove({ faults }) {
    faults.push(mutabilityFault("userName", "cannot be removed"));
  },
};

const externalId: Attribute = {
  set(value, { change, faults }) {
    const id = isNothing(value) ? null : Name.safeParse(value);
    if (id === null) change.externalId = null;
    else if (id.success) change.externalId = id.data;
    else faults.push(valueFault("externalId", "must be a text of 1 to 255 characters without control characters"));
  },
  remove({ change }) {
    change.externalId = null;
  },
};

const namePart = (part: NamePart): Attribute => ({
  set(value, { names, dropped }) {
    const name = isNothing(value) ? null : DisplayName.safeParse(value);
    if (name === null) names.set(part, null);
    else if (name.success) names.set(part, name.data);
    else dropped.add(part === "displayName" ? part : `name.${part}`);
  },
  remove({ names }) {
    if (part === "displayName") names.set(part, null);
  },
});

/** Returns whether a value means removal: null, an empty list or an empty text. */
const isNothing = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Returns an address with its labels; undefined if there is no address to keep. */
function emailOf(entry: unknown): DirectoryEmail | undefined {
  const value = isObject(entry) ? propertyOf(entry, "value") : entry;
  if (typeof value !== "string" || !isEmailAddress(value)) return undefined;
  if (!isObject(entry)) return { value };
  const type = Name.safeParse(propertyOf(entry, "type"));
  const primary = booleanOf(propertyOf(entry, "primary"));
  return { value, ...(type.success && { type: type.data }), ...(primary !== undefined && { primary }) };
}

/**
 * Returns the main entry: the primary one, else the one of type `work`, else the first; among added entries, the first
 * without a type.
 */
function mainOf(entries: readonly unknown[], { adds }: Manner): unknown {
  const has = (name: string, is: (value: unknown) => boolean) => (entry: unknown) =>
    isObject(entry) && is(propertyOf(entry, name));
  const isPrimary = has("primary", (value) => booleanOf(value) === true);
  const isWork = has("type", (value) => typeof value === "string" && value.toLowerCase() === "work");
  const isUntyped = (entry: unknown): boolean => !isObject(entry) || propertyOf(entry, "type") === undefined;
  return entries.find(isPrimary) ?? entries.find(isWork) ?? entries.find((entry) => !adds || isUntyped(entry));
}

/** The e-mail address, from a list or from the one entry that a path selects; `labels` are the labels in that path. */
const email = (labels: Omit<DirectoryEmail, "value"> | undefined): Attribute => ({
  set(value, { change, dropped }, manner) {
    if (isNothing(value)) {
      change.email = null;
      return;
    }
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    const main = labels === undefined ? mainOf(entries, manner) : entries[0];
    if (main === undefined) return;
    const found = emailOf(main);
    if (found === undefined) dropped.add("emails");
    // An entry of a whole list gets defaults for the labels that it lacks.
    else change.email = labels === undefined ? { type: "work", primary: true, ...found } : { ...found, ...labels };
  },
  remove({ change }) {
    change.email = null;
  },
});

/** An attribute that the realm names, at its path in lower case. A value that the service cannot read is refused. */
const further = (path: string, name: string): Attribute => ({
  set(value, { change, faults }, { adds }) {
    if (isNothing(value)) say(change, path, { value: null, adds: false });
    else if (textsOf(value) === undefined) faults.push(valueFault(name, "must be a text, or a list of texts"));
    else say(change, path, { value, adds });
  },
  remove({ change }) {
    say(change, path, { value: null, adds: false });
  },
});

function say(change: Reading["change"], path: string, said: { value: unknown; adds: boolean }): void {
  change.attributes ??= new Map();
  change.attributes.set(path, said);
}

/** The attributes that the service always keeps about a person, by path in lower case, without the schema. */
const attributes: ReadonlyMap<string, Attribute> = new Map([
  ["active", active],
  ["username", userName],
  ["externalid", externalId],
  ["displayname", namePart("displayName")],
  ["name.formatted", namePart("formatted")],
  ["name.givenname", namePart("givenName")],
  ["name.familyname", namePart("familyName")],
  ["emails", email(undefined)],
  // Sets only the address and keeps its labels.
  ["emails.value", email({})],
]);

const selected = /^emails\[\s*(?:type\s+eq\s+"(work)"|primary\s+eq\s+(?:true|"true"))\s*\](?:\.value)?$/;

/**
 * Refuses a path to a part of an attribute that the realm names: a request can set or remove these attributes only as a
 * whole.
 */
const partOfFurther = (path: string): Attribute => ({
  set(_, { faults }) {
    faults.push(pathFault(path));
  },
  remove({ faults }) {
    faults.push(pathFault(path));
  },
});

/** Returns the attribute at a path in lower case; undefined if the service does not keep it. */
function attributeAt(path: string, { named }: Reading): Attribute | undefined {
  const name = named.get(path);
  if (name !== undefined) return further(path, name);
  const isPart = (whole: string): boolean => path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);
  if ([...named.keys()].some(isPart)) return partOfFurther(path);
  const [matched, work] = selected.exec(path) ?? [];
  if (matched !== undefined) return email(work === undefined ? { primary: true } : { type: "work" });
  return attributes.get(path);
}

/** Matches `active` as a word of a path. */
const namesActive = /(?:^|[^\p{L}\p{N}_-])active(?:$|[^\p{L}\p{N}_-])/u;

/**
 * Returns a path in lower case, without the user schema. Throws for a path that is too long, and for a path that may
 * mean `active` but is not `active`: the service refuses, and never ignores, an unclear request that may remove access.
 */
function plainPath(given: string): string {
  if (given.length > pathLengthMax) throw pathFault(given);
  const lower = given.toLowerCase();
  const path = lower.startsWith(`${userSchema}:`) ? lower.slice(userSchema.length + 1) : lower;
  if (path !== "active" && namesActive.test(path)) throw pathFault(given);
  return path;
}

/**
 * Sets the attribute at a path, or the attributes inside it; "" is the whole person. Attributes that the service does
 * not keep are accepted and dropped. Throws for an unclear path or value of `active`, and if a value sets an attribute
 * twice, at any depth; collects the other faults in the reading.
 */
export function setAt(given: string, value: unknown, reading: Reading, manner: Manner, said = new Set<string>()): void {
  const path = plainPath(given);
  const attribute = attributeAt(path, reading);
  if (attribute !== undefined) {
    if (said.has(path)) throw syntaxFault(`${path} is there twice.`);
    said.add(path);
    attribute.set(value, reading, manner);
  } else if (isObject(value)) {
    const within = path === userSchema ? "" : path;
    for (const [key, inner] of Object.entries(value)) {
      setAt(
        within === "" ? key : `${within}${isSchema(within, reading) ? ":" : "."}${key}`,
        inner,
        reading,
        manner,
        said,
      );
    }
  }
}

/**
 * Returns true if a path is the schema of an extension, and the realm names an attribute of that extension; the
 * attribute follows after a colon.
 */
const isSchema = (path: string, { named }: Reading): boolean =>
  [...named.keys()].some((name) => name.startsWith(`${path.toLowerCase()}:`));

/**
 * Removes the attribute at a path, or the attributes inside it. Refuses a removal of values from an attribute that the
 * realm names: taken for a removal of the whole attribute, it could end the person's access. Ignores attributes that the
 * service does not keep.
 */
export function removeAt(given: string, value: unknown, reading: Reading): void {
  const path = plainPath(given);
  const named = [...reading.named].filter(
    ([inner]) => inner === path || inner.startsWith(`${path}.`) || inner.startsWith(`${path}:`),
  );
  if (named.length > 0 && value !== undefined && !isNothing(value)) {
    reading.faults.push(valueFault(path, "can only be removed as a whole, without a value"));
    return;
  }
  attributeAt(path, reading)?.remove(reading);
  for (const [inner, name] of named) if (inner !== path) further(inner, name).remove(reading);
}
