import { Alert, Button, Group, Text } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { IconClock } from "../ui/icons.tsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { signInAgain } from "../api/sign-in.ts";
import { useExtendSession, useSession } from "../session/session.tsx";
import { notifyFailed } from "../ui/notice/notify.tsx";

const noticeMinutes = 10;

/**
 * From ten minutes before the session ends, offers to extend the session, or to sign in again if it cannot be extended
 * or has ended.
 */
export function SessionEndNotice() {
  const { t } = useTranslation();
  const { expiresAt, canExtend } = useSession();
  const extend = useExtendSession();
  const [now, setNow] = useState(Date.now);
  useInterval(
    () => {
      setNow(Date.now());
    },
    15_000,
    { autoInvoke: true },
  );

  const minutes = Math.ceil((new Date(expiresAt).getTime() - now) / 60_000);
  if (minutes > noticeMinutes) return null;
  return (
    <Alert color="yellow" mb="md" icon={<IconClock aria-hidden />} title={t("shell.sessionEnds")} role="alert">
      <Group justify="space-between">
        <Text size="sm">{minutes > 0 ? t("shell.sessionEndsIn", { count: minutes }) : t("shell.sessionEnded")}</Text>
        <Button
          size="xs"
          onClick={() => {
            if (!canExtend || minutes <= 0) signInAgain();
            else
              extend().catch(() => {
                notifyFailed(t("shell.stayFailed"));
              });
          }}
        >
          {canExtend && minutes > 0 ? t("shell.stay") : t("shell.signInAgain")}
        </Button>
      </Group>
    </Alert>
  );
}
