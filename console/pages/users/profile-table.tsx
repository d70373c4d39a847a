import { Button, Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Serial } from "../../ui/serial.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";
import type { ProfileActivity } from "../activity/activity.ts";
import { LastCheck } from "../activity/last-check.tsx";
import { useDeviceTypeName } from "../profiles/device-types.ts";
import { statusOf, type Profile } from "../profiles/profile.ts";

/** The last checks of profiles, by serial number. */
export type LastChecks = ReadonlyMap<string, ProfileActivity["lastCheck"]>;

/** Profiles of one person. */
export function ProfileTable({
  label,
  profiles,
  checks,
  revoke,
}: {
  label: string;
  profiles: readonly Profile[];
  /** When RADIUS servers last asked, as far as it is known here. */
  checks: LastChecks;
  /** Omitted: there is nothing left to revoke. */
  revoke?: (profiles: readonly Profile[]) => void;
}) {
  const { t } = useTranslation();
  const mayRevoke = useMay()("revokeProfile");
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table withTableBorder highlightOnHover verticalSpacing="xs" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("profiles.columns.name")}</Table.Th>
            <Table.Th>{t("profiles.columns.serial")}</Table.Th>
            <Table.Th>{t("profiles.columns.deviceType")}</Table.Th>
            <Table.Th>{t("profiles.columns.status")}</Table.Th>
            <Table.Th>{t("activity.lastCheck")}</Table.Th>
            <Table.Th>{t(revoke === undefined ? "users.profiles.ended" : "profiles.columns.expires")}</Table.Th>
            {revoke !== undefined && mayRevoke && <Table.Th>{t("users.profiles.action")}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {profiles.map((profile) => (
            <Row
              key={profile.serial}
              profile={profile}
              check={checks.get(profile.serial)}
              revoke={mayRevoke ? revoke : undefined}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({
  profile,
  check,
  revoke,
}: {
  profile: Profile;
  check: ProfileActivity["lastCheck"] | undefined;
  revoke: ((profiles: readonly Profile[]) => void) | undefined;
}) {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const { serial, name, deviceType, expirationTime, revokeTime } = profile;
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <AnchorLink to="/profiles" search={{ open: serial }} inherit>
          {name}
        </AnchorLink>
      </Table.Td>
      <Table.Td>
        <Serial serial={serial} short />
      </Table.Td>
      <Table.Td>{deviceTypeName(deviceType)}</Table.Td>
      <Table.Td>
        <StatusBadge status={statusOf(profile)} />
      </Table.Td>
      <Table.Td>
        <LastCheck check={check} />
      </Table.Td>
      <Table.Td>
        <Time at={revokeTime ?? expirationTime} dateOnly struck={statusOf(profile) === "expired"} />
      </Table.Td>
      {revoke !== undefined && (
        <Table.Td>
          <Button
            size="compact-sm"
            color="red"
            variant="light"
            aria-label={t("profiles.revoke.actionFor", { name })}
            onClick={() => {
              revoke([profile]);
            }}
          >
            {t("profiles.revoke.action", { count: 1 })}
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  );
}
