import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { formatTime } from "../../ui/value/time.tsx";
import { partsOf, propertiesOf, type AuditEntry, type Properties } from "./entry.ts";

/** Returns a function that describes an event; its subject is shown next to the description. */
export function useEventText(): (entry: Pick<AuditEntry, "event" | "properties">) => string {
  const { t, i18n } = useTranslation();
  return (entry) => eventText(entry, { t, language: i18n.language });
}

/** Returns a function that returns the name of an event, independent of the event's subject. */
export function useEventName(): (event: string) => string {
  const { t } = useTranslation();
  return (event) => t(`audit.eventNames.${event}`, { defaultValue: event });
}

function eventText(
  entry: Pick<AuditEntry, "event" | "properties">,
  { t, language }: { t: TFunction; language: string },
): string {
  const properties = propertiesOf(entry);
  const context = contextOf(entry.event, properties);
  return t(`audit.events.${entry.event}`, {
    name: listName(entry.event, properties, t) ?? textIn(properties, "name") ?? t("audit.unnamed"),
    count: countIn(properties),
    date: dateIn(properties, language),
    ...(context !== undefined && { context }),
    // A newer service may send events that this page cannot describe.
    defaultValue: entry.event,
  });
}

const textIn = (properties: Properties, name: string): string | undefined => {
  const value = properties[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Returns the name of an exported list. */
const listName = (event: string, properties: Properties, t: TFunction): string | undefined =>
  event === "list_export" ? t(`audit.lists.${textIn(properties, "list")}`, { defaultValue: "" }) : undefined;

function countIn(properties: Properties): number {
  const count =
    properties["profiles"] ??
    properties["entries"] ??
    properties["failed"] ??
    properties["users"] ??
    properties["profilesKept"] ??
    properties["total"] ??
    properties["rows"];
  return typeof count === "number" ? count : 0;
}

/** Returns the date of the planned revocation. */
function dateIn(properties: Properties, language: string): string {
  const at = textIn(properties, "revokeAt");
  return at === undefined ? "" : formatTime(new Date(at), language, { dateOnly: true });
}

/** Returns the context that selects a variant of the sentence for an event. */
function contextOf(event: string, properties: Properties): string | undefined {
  switch (event) {
    case "client_update": {
      const [change, ...others] = partsOf(properties).changes;
      if (change?.name !== "active" || others.length > 0) return undefined;
      return change.after === true ? "on" : "off";
    }
    case "profile_create":
    case "profile_revoke":
      // Entries of earlier versions contain the device name that the person chose.
      return textIn(properties, "name") === undefined ? undefined : "named";
    case "user_offboard":
      // The service writes the entry when access ends. The profiles keep working during the grace period, and after an
      // undo.
      return textIn(properties, "revokeAt") !== undefined && countIn(properties) > 0 ? "planned" : undefined;
    case "user_undelete":
      return countIn(properties) > 0 ? "kept" : undefined;
    case "user_limit_update":
      return partsOf(properties).changes[0]?.after === 0 ? "removed" : undefined;
    case "job_create":
      return [textIn(properties, "kind"), ...(properties["dryRun"] === true ? ["check"] : [])].join("_");
    case "job_cancel":
      return textIn(properties, "kind");
    case "job_change":
      return textIn(properties, "change");
    case "job_finish":
      return [textIn(properties, "kind"), textIn(properties, "state")].join("_");
    case "session_end":
      return textIn(properties, "reason");
    default:
      return undefined;
  }
}
