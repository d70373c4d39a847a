import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconClock, IconUserCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Time, formatTime } from "../../ui/value/time.tsx";
import type { User } from "./load-users.ts";

/** Shows until when the devices of a locked-out person work, and offers to restore access until then. */
export function GraceNotice({ user, busy, onLetIn }: { user: User; busy: boolean; onLetIn: () => void }) {
  const { t, i18n } = useTranslation();
  const { userID } = user;
  const { data } = useQuery({
    queryKey: ["user", userID, "provisioning"],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/user/{userID}/provisioning", { params: { path: { userID } }, signal })),
    enabled: user.blacklisted,
  });
  const { revokeAt, job } = data?.offboarding ?? { revokeAt: null, job: null };
  if (!user.blacklisted || user.profileCount === 0 || revokeAt === null) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconClock aria-hidden />}
      title={t("jobs.grace.title", { date: formatTime(new Date(revokeAt), i18n.language) })}
      role="status"
      mb="lg"
    >
      <Stack gap="sm">
        <Text size="sm">{t("users.grace.text")}</Text>
        <Text size="sm">
          <Time at={revokeAt} relative />
        </Text>
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
