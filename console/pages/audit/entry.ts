import type { Schemas } from "../../api/api-client.ts";

export type AuditEntry = Schemas["AuditEntry"];

/** An entry's properties other than its time, event and actor. */
export type Properties = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function propertiesOf({ properties }: Pick<AuditEntry, "properties">): Properties {
  const parsed: unknown = JSON.parse(properties);
  return isObject(parsed) ? parsed : {};
}

/** The subject of an entry. */
export interface Subject {
  kind: "person" | "guest" | "application" | "job" | "issuer" | "infrastructure";
  id: string;
}

const subjectKeys = [
  ["person", ["userID", "user"]],
  ["guest", ["guestAccountID", "guestAccount"]],
  ["application", ["clientID"]],
  ["infrastructure", ["serial"]],
  ["job", ["job"]],
  ["issuer", ["issuerID"]],
] as const;

export function subjectOf(properties: Properties): Subject | undefined {
  for (const [kind, names] of subjectKeys) {
    const id = names.map((name) => properties[name]).find((value) => typeof value === "string");
    if (typeof id === "string") return { kind, id };
  }
  return undefined;
}

export interface Change {
  name: string;
  before: unknown;
  after: unknown;
}

/** Splits the properties of an entry into changes and other properties. */
export function partsOf({ before, after, ...rest }: Properties): { changes: Change[]; rest: Properties } {
  const [was, is] = [before, after].map((settings) => (isObject(settings) ? settings : {})) as [Properties, Properties];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return { changes: names.map((name) => ({ name, before: was[name], after: is[name] })), rest };
}
