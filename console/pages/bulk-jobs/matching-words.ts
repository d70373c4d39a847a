import { useTranslation } from "react-i18next";
import { formatTime } from "../../ui/value/time.tsx";
import type { Job } from "./job.ts";

/**
 * Returns a function that describes the search and filter of a job: “Not offboarded · Created from 1 Oct 2026, 00:00”.
 */
export function useMatchingWords(): (matching: NonNullable<Job["matching"]>) => string {
  const { t, i18n } = useTranslation();
  const wordsOf = ([key, value]: readonly [string, string]): string => {
    const isInstant = /^(?:min|max)(?:Created|LockDate|BlacklistDate|LastLogin|ExpirationTime)$/.test(key);
    return t(`jobs.matching.${key}`, {
      value: isInstant ? formatTime(new Date(value), i18n.language) : value,
      context: value.toLowerCase(),
      // A newer service may have filters that this page cannot describe.
      defaultValue: `${key}: ${value}`,
    });
  };
  return ({ search, filter }) => {
    const parts = [...(search === undefined ? [] : [["search", search] as const]), ...Object.entries(filter)];
    return parts.length === 0 ? t("jobs.matching.everything") : parts.map(wordsOf).join(" · ");
  };
}
