import { useTranslation } from "react-i18next";
import { readersZone } from "../../session/local-time.ts";

/** Returns a function that formats the start of an hour in the realm's zone: “Mon 3 Nov, 14:00”. */
export function useHourName(): (from: string) => string {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language === "de" ? "de-DE" : "en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: readersZone(),
  });
  return (from) => format.format(new Date(from));
}

/** Returns a function that formats the start of a week, which the service counts from Monday in UTC: “3 Nov 2026”. */
export function useWeekName(): (from: string) => string {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language === "de" ? "de-DE" : "en-GB", {
    dateStyle: "medium",
    timeZone: "UTC",
  });
  return (from) => format.format(new Date(from));
}
