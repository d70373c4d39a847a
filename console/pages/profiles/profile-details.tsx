import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconBan } from "../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { useIntent } from "../../ui/intent.ts";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Facts } from "../../ui/value/facts.tsx";
import { PersonLink } from "../../ui/value/person.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { ActivityDetails } from "../../activity/activity-details.tsx";
import { profileActivityQuery, userActivityQuery } from "../../activity/activity.ts";
import { DiagnosisCard } from "../../activity/diagnosis-card.tsx";
import { useCheckFacts } from "../../activity/check-facts.tsx";
import { SetUpButton } from "../../activity/set-up-dialog.tsx";
import { useRevocationFacts } from "../../activity/revocation-facts.tsx";
import { useDeviceTypeName } from "../../ui/value/device-types.ts";
import { isLive, profileQuery, statusOf, type Profile } from "./profile.ts";
import { useRevoke } from "./revoke.tsx";

/** Shows the details of one profile, by serial number. */
export function ProfileDetails({ serial }: { serial: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(profileQuery(serial));
  if (data !== undefined) return <Details profile={data} />;
  if (error === null) return <Skeleton height={240} aria-label={t("shell.loading")} role="status" />;
  // The profile may be a guest's or a server's.
  if (error instanceof ApiError && error.status === 404) return <ActivityDetails serial={serial} />;
  return <ErrorNotice error={error} onRetry={() => void refetch()} />;
}

function Details({ profile }: { profile: Profile }) {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const revoke = useRevoke();
  const mayRevoke = useMay()("revokeProfile");
  const { data: activity } = useQuery(profileActivityQuery(profile.serial));
  const { serial, name, owner, deviceType, creationTime, expirationTime, revokeTime, authable } = profile;
  useIntent(`/profiles?open=${serial}`, {
    revoke: () => {
      revoke([profile]);
    },
  });
  const checks = useCheckFacts(activity);
  const revoked = useRevocationFacts({ revokedAt: revokeTime, known: activity?.revocation });
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
      {activity !== undefined && <DiagnosisCard diagnosis={activity.diagnosis} identity={activity.identity} />}
      <Facts
        facts={[
          [t("profiles.columns.owner"), <PersonLink key="owner" userID={owner} />],
          [t("profiles.columns.deviceType"), deviceTypeName(deviceType)],
          ...(activity?.app ? [[t("activity.app"), activity.app.name] as const] : []),
          [t("profiles.columns.created"), <Time key="created" at={creationTime} />],
          [
            t("profiles.columns.expires"),
            <Time key="expires" at={expirationTime} relative struck={statusOf(profile) === "expired"} />,
          ],
          ...checks,
          ...revoked,
          ...(authable ? [[t("profiles.details.signIn"), t("profiles.details.signInYes")] as const] : []),
        ]}
      />
      <OtherProfiles userID={owner} serial={serial} />
      <Allowed to="audit">
        <AnchorLink to="/audit" search={{ about: `profile:${serial}` }} size="sm">
          {t("activity.all")}
        </AnchorLink>
      </Allowed>
      <Allowed to="offerSetUp">
        <SetUpButton userID={owner} device={profile} />
      </Allowed>
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

/** Shows the owner's other profiles, active or recently ended. */
function OtherProfiles({ userID, serial }: { userID: string; serial: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(userActivityQuery(userID));
  const others = data?.profiles.filter((profile) => profile.serial !== serial) ?? [];
  if (others.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {t("activity.others")}
      </Text>
      {others.map((other) => (
        <Group key={other.serial} justify="space-between" wrap="nowrap">
          <AnchorLink
            to="."
            search={(search) => ({ ...search, open: other.serial })}
            resetScroll={false}
            style={{ overflowWrap: "anywhere" }}
          >
            {other.name}
          </AnchorLink>
          <StatusBadge status={other.state} />
        </Group>
      ))}
    </Stack>
  );
}
