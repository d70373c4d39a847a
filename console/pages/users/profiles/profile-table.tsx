import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../list/columns.ts";
import { ShortTable } from "../../../list/short-table.tsx";
import { useMay } from "../../../session/may.ts";
import { DeviceLink } from "../../../ui/value/device.tsx";
import { Serial } from "../../../ui/value/serial.tsx";
import { StatusBadge } from "../../../ui/value/status-badge.tsx";
import { Time } from "../../../ui/value/time.tsx";
import type { ProfileActivity } from "../../../activity/activity.ts";
import { DiagnosisLine } from "../../../activity/diagnosis-line.tsx";
import { LastCheck } from "../../../activity/last-check.tsx";
import { useDeviceTypeName } from "../../../ui/value/device-types.ts";
import { statusOf, type Profile } from "../../profiles/profile.ts";

/** The activity of profiles, by serial number. */
export type Activities = ReadonlyMap<string, ProfileActivity>;

export function ProfileTable({
  label,
  profiles,
  activities,
  revoke,
}: {
  label: string;
  profiles: readonly Profile[];
  /** The activities that are loaded so far. */
  activities: Activities;
  /** If omitted, the user cannot revoke the profiles. */
  revoke?: (profiles: readonly Profile[]) => void;
}) {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const mayRevoke = useMay()("revokeProfile");
  const columns: Column<Profile>[] = [
    {
      key: "name",
      title: t("profiles.columns.name"),
      card: "title",
      render: ({ serial, name }) => (
        <>
          <DeviceLink serial={serial} name={name} />
          <DiagnosisLine activity={activities.get(serial)} />
        </>
      ),
    },
    {
      key: "serial",
      title: t("profiles.columns.serial"),
      render: ({ serial }) => <Serial serial={serial} short />,
    },
    {
      key: "deviceType",
      title: t("profiles.columns.deviceType"),
      render: ({ deviceType }) => deviceTypeName(deviceType),
    },
    {
      key: "status",
      title: t("profiles.columns.status"),
      card: "badge",
      render: (profile) => <StatusBadge status={statusOf(profile)} />,
    },
    {
      key: "check",
      title: t("activity.lastCheck"),
      render: ({ serial }) => <LastCheck check={activities.get(serial)?.lastCheck} />,
    },
    {
      key: "end",
      title: t(revoke === undefined ? "users.profiles.ended" : "profiles.columns.expires"),
      render: (profile) => (
        <Time at={profile.revokeTime ?? profile.expirationTime} dateOnly struck={statusOf(profile) === "expired"} />
      ),
    },
    ...(revoke === undefined || !mayRevoke
      ? []
      : [
          {
            key: "actions",
            title: t("users.profiles.action"),
            card: "actions" as const,
            render: (profile: Profile) => (
              <Button
                size="compact-sm"
                color="red"
                variant="light"
                aria-label={t("profiles.revoke.actionFor", { name: profile.name })}
                onClick={() => {
                  revoke([profile]);
                }}
              >
                {t("profiles.revoke.action", { count: 1 })}
              </Button>
            ),
          },
        ]),
  ];
  return <ShortTable label={label} rows={profiles} idOf={({ serial }) => serial} columns={columns} />;
}
