import { auditEvents } from "./audit.ts";

/** What happened that is no audit entry: a RADIUS server asked about a profile, one ran out, one could not be made. */
export const unauditedTypes = ["profile_check", "profile_expire", "issuance_fail"] as const;

/** What a timeline has. */
export const timelineTypes = [...auditEvents, ...unauditedTypes] as const;
export type TimelineType = (typeof timelineTypes)[number];

export const isTimelineType = (type: string): type is TimelineType =>
  (timelineTypes as readonly string[]).includes(type);

/** What of an audit entry a timeline tells: all of it has words in the console, and none of it is about anybody else. */
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

/** Settings before and after, of which the same keys are told. */
const changeKeys = ["before", "after"] as const;

type Properties = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const picked = (properties: Properties): Record<string, unknown> =>
  Object.fromEntries(timelineDetailKeys.flatMap((key) => (key in properties ? [[key, properties[key]]] : [])));

/** What a timeline tells of the properties of an audit entry. */
export function timelineDetail(properties: Properties): Record<string, unknown> {
  const changes = changeKeys.flatMap((key) => {
    const settings = properties[key];
    const told = isObject(settings) ? picked(settings) : {};
    return Object.keys(told).length > 0 ? [[key, told] as const] : [];
  });
  return { ...picked(properties), ...Object.fromEntries(changes) };
}
