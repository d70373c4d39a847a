import { useTranslation } from "react-i18next";
import { readersZone } from "../../session/local-time.ts";
import { formatNumber } from "../../ui/value/time.tsx";
import type { Series } from "./overview.ts";

const daySeconds = 86_400;

/**
 * Returns a function that formats the start of a bucket: an hour in the realm's zone, or a day, which the service
 * counts in UTC.
 */
export function useBucketName(): (series: Series, from: string) => string {
  const { i18n } = useTranslation();
  const locale = i18n.language === "de" ? "de-DE" : "en-GB";
  const hours = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone: readersZone() });
  const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  return ({ bucketSeconds }, from) => (bucketSeconds < daySeconds ? hours : days).format(new Date(from));
}

/** Returns a function that describes the activity in one sentence. */
export function useActivitySummary(): (series: Series) => string {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  const nameOf = useBucketName();
  const spanOf = (series: Series, from: string): string => {
    const until = new Date(Date.parse(from) + series.bucketSeconds * 1_000).toISOString();
    return series.bucketSeconds < daySeconds
      ? `${nameOf(series, from)}–${nameOf(series, until)}`
      : nameOf(series, from);
  };
  return (series) => {
    const sum = (of: "issued" | "revoked") => series.buckets.reduce((total, bucket) => total + bucket[of], 0);
    const [issued, revoked] = [sum("issued"), sum("revoked")];
    const period = t(`dashboard.activity.during.${series.period}`);
    if (issued + revoked === 0) return t("dashboard.activity.nothing", { period });
    const [most] = series.buckets.toSorted((one, other) => other.issued - one.issued);
    const peak =
      most === undefined || most.issued === 0
        ? ""
        : t(`dashboard.activity.${series.bucketSeconds < daySeconds ? "peakHour" : "peakDay"}`, {
            when: spanOf(series, most.from),
            most: number(most.issued),
          });
    return [t("dashboard.activity.summary", { period, issued: number(issued), revoked: number(revoked) }), peak]
      .filter((part) => part !== "")
      .join(" ");
  };
}
