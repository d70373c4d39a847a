import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { GraceChoice } from "../bulk-jobs/plan/grace-choice.tsx";
import type { User } from "./load-users.ts";
import { WaitingJobs } from "./waiting-jobs.tsx";

/** Explains the effect of offboarding a person, and offers a grace period if the person has profiles. */
export function OffboardQuestion({
  user,
  onGrace,
}: {
  user: User;
  /** null: no grace period; undefined: an invalid number. */
  onGrace: (days: number | null | undefined) => void;
}) {
  const { t } = useTranslation();
  const [days, setDays] = useState<number | null | undefined>(null);
  return (
    <Stack gap="xs">
      <Text size="sm">{t("users.offboard.access")}</Text>
      {user.profileCount > 0 && (
        <GraceChoice
          days={days}
          onChange={(chosen) => {
            setDays(chosen);
            onGrace(chosen);
          }}
        />
      )}
      <Text size="sm" fw={600}>
        {t(days === null ? "users.offboard.profiles" : "users.offboard.profilesLater", { count: user.profileCount })}
      </Text>
      <WaitingJobs userID={user.userID} />
      <Text size="sm">{t(days === null ? "users.offboard.later" : "users.offboard.until")}</Text>
    </Stack>
  );
}
