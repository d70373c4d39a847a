import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Time } from "../../ui/value/time.tsx";
import type { Job } from "../bulk-jobs/job.ts";
import { useMatchingWords } from "../bulk-jobs/matching-words.ts";

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/;

export function SettingValue({ name, value }: { name: string; value: unknown }) {
  const { t } = useTranslation();
  const matchingWords = useMatchingWords();
  if (value === undefined || value === null || value === "")
    return (
      <Text span inherit c="dimmed">
        {t("audit.entry.nothing")}
      </Text>
    );
  if (typeof value === "boolean") return t(`audit.values.${String(value)}`);
  if (typeof value === "string") return instant.test(value) ? <Time at={value} /> : value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  if (name === "matching") return matchingWords(value as NonNullable<Job["matching"]>);
  if (typeof value !== "number") return JSON.stringify(value);
  return name === "reason" ? t(`profiles.reasons.${value}`, { defaultValue: String(value) }) : value;
}
