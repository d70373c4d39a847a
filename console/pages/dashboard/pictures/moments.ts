import { useTranslation } from "react-i18next";

/** Formats the start of an hour in the viewer's zone: “Mon 3 Nov, 14:00”. */
export function useHourName(): (from: string) => string {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language === "de" ? "de-DE" : "en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (from) => format.format(new Date(from));
}
