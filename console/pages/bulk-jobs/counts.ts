import { useTranslation } from "react-i18next";
import { formatNumber } from "../../ui/value/time.tsx";
import type { Job } from "./job.ts";

/**
 * Returns a function that describes a job's progress: “6,210 of 9,000 · 14 failed · 240 per second · about 1 min left”.
 */
export function useProgressText(): (job: Job) => string {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  const left = useDuration();
  return ({ done, total, failed, skipped, ratePerSecond, etaSeconds, state }) =>
    [
      t("jobs.progress.of", { done: number(done), total: number(total) }),
      ...(failed > 0 ? [t("jobs.progress.failed", { failed: number(failed) })] : []),
      ...(skipped > 0 ? [t("jobs.progress.skipped", { skipped: number(skipped) })] : []),
      ...(state === "running" && ratePerSecond !== null && ratePerSecond >= 1
        ? [t("jobs.progress.rate", { rate: number(Math.round(ratePerSecond)) })]
        : []),
      ...(state === "running" && etaSeconds !== null && etaSeconds > 0
        ? [t("jobs.progress.left", { time: left(etaSeconds) })]
        : []),
    ].join(" · ");
}

/** Returns a function that describes a duration in words: seconds, minutes, or hours and minutes. */
export function useDuration(): (seconds: number) => string {
  const { t } = useTranslation();
  return (seconds) => {
    if (seconds < 59.5) return t("jobs.duration.seconds", { seconds: Math.max(1, Math.round(seconds)) });
    const minutes = Math.round(seconds / 60);
    return minutes < 60
      ? t("jobs.duration.minutes", { minutes })
      : t("jobs.duration.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
  };
}

/** Returns a function that formats numbers in the reader's language. */
export function useNumber(): (value: number) => string {
  const { i18n } = useTranslation();
  return (value) => formatNumber(value, i18n.language);
}
