import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { formatTime } from "../ui/value/time.tsx";
import type { Diagnosis } from "./activity.ts";

/** Returns a function that describes a diagnosis in the page's language, with times in the realm's zone. */
export function useDiagnosisText(): (diagnosis: Pick<Diagnosis, "code" | "detail">) => string {
  const { t, i18n } = useTranslation();
  return ({ code, detail }) => {
    const time = (at: string | undefined) => (at === undefined ? "" : formatTime(new Date(at), i18n.language));
    const context = contextOf({ code, detail });
    return t(`diagnosis.${code}`, {
      at: time(detail.at),
      triedAt: time(detail.triedAt),
      by: actorText(detail.by, t),
      reason: t(`profiles.reasons.${detail.reason ?? 0}`),
      tail: detail.serial?.slice(-4),
      error: failureText(detail.error, t),
      count: detail.activeCount ?? 0,
      ...(context !== undefined && { context }),
    });
  };
}

/** Describes why issuing a profile failed. */
export const failureText = (code: unknown, t: TFunction): string =>
  t(`errors.codes.${String(code)}`, { defaultValue: t("diagnosis.someError") });

/** Returns the context that selects a variant of the sentence for a diagnosis. */
function contextOf({ code, detail }: Pick<Diagnosis, "code" | "detail">): string | undefined {
  if (code === "offboarded") return (detail.activeCount ?? 0) > 0 ? "left" : "none";
  return code === "nobody_asks" && detail.at === undefined ? "ever" : undefined;
}

/** Returns “ by the owner”, with a leading blank, or an empty text. */
function actorText(by: Diagnosis["detail"]["by"], t: TFunction): string {
  if (by === undefined) return "";
  const { kind, name } = by;
  const isNamed = name !== null && (kind === "person" || kind === "application");
  return ` ${t(`diagnosis.by.${kind}`, isNamed ? { name, context: "named" } : {})}`;
}
