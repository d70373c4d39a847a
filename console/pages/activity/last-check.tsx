import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Time } from "../../ui/time.tsx";
import type { ProfileActivity } from "./activity.ts";

/** When a RADIUS server last asked about a profile, and what it was told; undefined: that is not known here. */
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
