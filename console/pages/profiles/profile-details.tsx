import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconBan, IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/api-client.ts";
import { useMay } from "../../session/may.ts";
import { CopyBox } from "../../ui/copy-box.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Facts } from "../../ui/facts.tsx";
import { PersonLink } from "../../ui/person.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { useDeviceTypeName } from "./device-types.ts";
import { isLive, profileQuery, statusOf, type Profile } from "./profile.ts";
import { useRevoke } from "./revoke.tsx";

/** Everything about one profile, by its serial number. */
export function ProfileDetails({ serial }: { serial: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(profileQuery(serial));
  if (data !== undefined) return <Details profile={data} />;
  if (error === null) return <Skeleton height={240} aria-label={t("shell.loading")} role="status" />;
  if (error instanceof ApiError && error.status === 404)
    return (
      <Alert color="gray" icon={<IconInfoCircle aria-hidden />} title={t("profiles.details.unknown")}>
        {t("profiles.details.unknownText")}
      </Alert>
    );
  return <ErrorNotice error={error} onRetry={() => void refetch()} />;
}

function Details({ profile }: { profile: Profile }) {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const revoke = useRevoke();
  const mayRevoke = useMay()("revokeProfile");
  const { serial, name, owner, deviceType, creationTime, expirationTime, revokeTime, revokeReason, authable } = profile;
  return (
    <Stack>
      <Group justify="space-between">
        <Text fw={600} size="lg" style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
        <StatusBadge status={statusOf(profile)} />
      </Group>
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          {t("profiles.columns.serial")}
        </Text>
        <CopyBox text={serial} label={t("profiles.columns.serial")} />
      </Stack>
      <Facts
        facts={[
          [t("profiles.columns.owner"), <PersonLink key="owner" userID={owner} />],
          [t("profiles.columns.deviceType"), deviceTypeName(deviceType)],
          [t("profiles.columns.created"), <Time key="created" at={creationTime} />],
          [
            t("profiles.columns.expires"),
            <Time key="expires" at={expirationTime} relative struck={statusOf(profile) === "expired"} />,
          ],
          ...(revokeTime === null
            ? []
            : [
                [t("profiles.details.revoked"), <Time key="revoked" at={revokeTime} />] as const,
                [t("profiles.revoke.reason"), t(`profiles.reasons.${revokeReason ?? 0}`)] as const,
              ]),
          ...(authable ? [[t("profiles.details.signIn"), t("profiles.details.signInYes")] as const] : []),
        ]}
      />
      {isLive(profile) && mayRevoke && (
        <Button
          color="red"
          variant="light"
          w="fit-content"
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => {
            revoke([profile]);
          }}
        >
          {t("profiles.revoke.action", { count: 1 })}
        </Button>
      )}
    </Stack>
  );
}
