import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Time } from "../ui/value/time.tsx";
import type { ProfileActivity } from "./activity.ts";

/**
 * Shows when a RADIUS server last checked a profile, or that none has, and whether the check was refused. Shows nothing
 * if `check` is undefined.
 */
export function LastCheck({ check }: { check: ProfileActivity["lastCheck"] | undefined }) {
  const { t } = useTranslation();
  if (check === undefined) return null;
  if (check === null)
    return (
      <Text span inherit c="dimmed">
        {t("activity.never")}
      </Text>
    );
  return (
    <>
      <Time at={check.at} />
      {check.result === "revoked" && ` (${t("activity.refused")})`}
    </>
  );
}
