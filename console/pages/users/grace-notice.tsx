import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconClock, IconUserCheck } from "../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Time, formatTime } from "../../ui/value/time.tsx";
import type { User } from "./load-users.ts";
import { provisioningQuery } from "./user-calls.ts";

/**
 * Shows until when the devices of an offboarded person still work, or that a user must decide this, and offers to
 * restore access before then.
 */
export function GraceNotice({ user, busy, onLetIn }: { user: User; busy: boolean; onLetIn: () => void }) {
  const { t, i18n } = useTranslation();
  const { userID } = user;
  const { data } = useQuery(provisioningQuery(userID));
  const { state, revokeAt, job } = data?.offboarding ?? { state: "done", revokeAt: null, job: null };
  if (!user.blacklisted || user.profileCount === 0 || state === "done") return null;
  return (
    <Alert
      color="yellow"
      icon={<IconClock aria-hidden />}
      title={
        revokeAt === null
          ? t("users.held.title")
          : t("jobs.grace.title", { date: formatTime(new Date(revokeAt), i18n.language) })
      }
      role="status"
      mb="lg"
    >
      <Stack gap="sm">
        <Text size="sm">{t(revokeAt === null ? "users.held.text" : "users.grace.text")}</Text>
        {revokeAt !== null && (
          <Text size="sm">
            <Time at={revokeAt} relative />
          </Text>
        )}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconUserCheck size={16} aria-hidden />}
            disabled={busy}
            onClick={onLetIn}
          >
            {t("users.grace.back")}
          </Button>
          {job !== null && (
            <AnchorLink to="/jobs/$id" params={{ id: job }} size="sm">
              {t("users.grace.job")}
            </AnchorLink>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
