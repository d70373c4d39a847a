import { auditEvents } from "./audit.ts";

/**
 * Events that are not audit entries: a RADIUS server or a client at another address asked about a profile, a profile
 * expired, an issuance failed.
 */
export const unauditedTypes = ["profile_check", "profile_ask", "profile_expire", "issuance_fail"] as const;

/** Every type of event in a timeline. */
export const timelineTypes = [...auditEvents, ...unauditedTypes] as const;
export type TimelineType = (typeof timelineTypes)[number];

export const isTimelineType = (type: string): type is TimelineType =>
  (timelineTypes as readonly string[]).includes(type);

/**
 * The properties of an audit entry that a timeline shows. The console has words for each property, and no property is
 * about another person.
 */
export const timelineDetailKeys = [
  "administrator",
  "deviceType",
  "expirationDate",
  "expirationTime",
  "graceDays",
  "job",
  "locked",
  "method",
  "name",
  "profileLimit",
  "profileOverride",
  "profiles",
  "profilesKept",
  "reason",
  "revokeAt",
  "sessions",
] as const;

/**
 * Properties that contain the settings before and after a change; a timeline shows the {@link timelineDetailKeys} of
 * each.
 */
const changeKeys = ["before", "after"] as const;

type Properties = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const picked = (properties: Properties): Record<string, unknown> =>
  Object.fromEntries(timelineDetailKeys.flatMap((key) => (key in properties ? [[key, properties[key]]] : [])));

/** Returns the properties of an audit entry that a timeline shows. */
export function timelineDetail(properties: Properties): Record<string, unknown> {
  const changes = changeKeys.flatMap((key) => {
    const settings = properties[key];
    const shown = isObject(settings) ? picked(settings) : {};
    return Object.keys(shown).length > 0 ? [[key, shown] as const] : [];
  });
  return { ...picked(properties), ...Object.fromEntries(changes) };
}
