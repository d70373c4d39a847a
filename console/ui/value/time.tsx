import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { readersZone } from "../../session/local-time.ts";

/** Shows a time in the realm's zone, with UTC on hover and, if requested, the time relative to now. */
export function Time({
  at,
  relative = false,
  dateOnly = false,
  struck = false,
}: {
  /** ISO 8601. */
  at: string;
  relative?: boolean;
  dateOnly?: boolean;
  struck?: boolean;
}) {
  const { i18n } = useTranslation();
  const date = new Date(at);
  return (
    <Text
      component="time"
      dateTime={at}
      title={`${date.toISOString().slice(0, 19).replace("T", " ")} UTC`}
      inherit
      td={struck ? "line-through" : undefined}
    >
      {formatTime(date, i18n.language, { dateOnly })}
      {relative && (
        <Text span c="dimmed" inherit>
          {" "}
          ({formatRelative(date, new Date(), i18n.language)})
        </Text>
      )}
    </Text>
  );
}

const localeOf = (language: string): string => (language === "de" ? "de-DE" : "en-GB");

export const formatTime = (date: Date, language: string, { dateOnly = false } = {}): string =>
  new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: "medium",
    timeZone: readersZone(),
    ...(dateOnly ? {} : { timeStyle: "short" }),
  }).format(date);

export const formatNumber = (value: number, language: string): string =>
  new Intl.NumberFormat(localeOf(language)).format(value);

const units = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Formats a date relative to now: “in 3 days”, “2 hours ago”. */
export function formatRelative(date: Date, now: Date, language: string): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(localeOf(language), { numeric: "auto" });
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  return format.format(Math.trunc(seconds), "second");
}
