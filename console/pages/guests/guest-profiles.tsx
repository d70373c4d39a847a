import { Title } from "@mantine/core";
import { IconDevices } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { lastCheckOf } from "../../../domain/certificate/last-check.ts";
import type { CsvColumn } from "../../../domain/csv.ts";
import { api, listOf, type Schemas } from "../../api/api-client.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import { useMay } from "../../session/may.ts";
import { useOpened } from "../../ui/dialog/detail-drawer.tsx";
import { DeviceLink } from "../../ui/value/device.tsx";
import { labelled } from "../../ui/value/person.tsx";
import { Serial } from "../../ui/value/serial.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { useDeviceTypeName } from "../../ui/value/device-types.ts";
import { LastCheck } from "../../activity/last-check.tsx";
import { guestAccountStatus, guestProfilesKey, type GuestAccount } from "./guest-accounts.ts";
import { GuestProfileDrawer } from "./guest-profile-drawer.tsx";
import { RevokeGuestProfile } from "./revoke-guest-profile.tsx";

type GuestProfile = Schemas["GuestProfile"];

/** Shows the profiles of a guest account, and lets the user revoke single profiles. */
export function GuestProfiles({ account }: { account: GuestAccount }) {
  const { t } = useTranslation();
  const { id } = account;
  const columns = useColumns(account);
  const [, open] = useOpened();
  return (
    <>
      <Title order={2} size="h3">
        {t("nav.profiles")}
      </Title>
      <DataList
        name={guestProfilesKey(id)}
        label={t("nav.profiles")}
        load={(query, signal) =>
          listOf(
            api.GET("/api/guest-accounts/{guestAccountId}/profiles", {
              params: { path: { guestAccountId: id }, query },
              signal,
            }),
          )
        }
        idOf={({ serial }) => serial}
        rowLabel={({ serial }) => labelled(account.name, [serial])}
        columns={columns}
        exported={{ as: "guest_profiles", columns: useExported(account) }}
        searchLabel={t("guests.searchSerial")}
        noMatchHint={t("guests.searchSerialHint")}
        filters={[
          {
            kind: "choice",
            key: "invalid",
            label: t("guests.state"),
            choices: [
              { value: "false", label: t("status.active") },
              { value: "true", label: t("guests.notActive") },
            ],
          },
        ]}
        empty={{ icon: IconDevices, text: t("guests.noProfiles") }}
        onOpen={({ serial }) => {
          open(serial);
        }}
      />
      <GuestProfileDrawer account={account} />
    </>
  );
}

/** Returns a function that returns the status of the account's profiles, which expire with the account. */
function statusWithin(account: GuestAccount): (profile: GuestProfile) => "active" | "expired" | "revoked" {
  const ended = guestAccountStatus(account, new Date()) === "expired";
  return ({ revokeDate }) => (revokeDate !== null ? "revoked" : ended ? "expired" : "active");
}

function useExported(account: GuestAccount): CsvColumn<GuestProfile>[] {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const statusOf = statusWithin(account);
  return [
    { title: t("guests.serial"), serial: ({ serial }) => serial },
    { title: t("profiles.columns.name"), text: () => account.name },
    { title: t("guests.deviceType"), text: ({ deviceType }) => deviceTypeName(deviceType) },
    { title: t("guests.created_at"), time: ({ creationDate }) => creationDate },
    { title: t("guests.state"), text: (profile) => t(`status.${statusOf(profile)}`) },
    { title: t("activity.lastCheck"), time: ({ lastOcsp }) => lastOcsp },
  ];
}

function useColumns(account: GuestAccount): Column<GuestProfile>[] {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const mayRevoke = useMay()("revokeGuest");
  const statusOf = statusWithin(account);
  return [
    {
      key: "name",
      title: t("profiles.columns.name"),
      card: "title",
      // Guests do not name their devices, so all show the account's name.
      render: ({ serial }) => <DeviceLink serial={serial} name={account.name} here />,
    },
    {
      key: "serial",
      title: t("guests.serial"),
      sortKey: "serial",
      render: ({ serial }) => <Serial serial={serial} short />,
    },
    {
      key: "deviceType",
      title: t("guests.deviceType"),
      width: 120,
      render: ({ deviceType }) => deviceTypeName(deviceType),
    },
    {
      key: "created",
      title: t("guests.created_at"),
      sortKey: "creationdate",
      width: 200,
      render: ({ creationDate }) => <Time at={creationDate} />,
    },
    {
      key: "state",
      title: t("guests.state"),
      width: 140,
      card: "badge",
      render: (profile) => <StatusBadge status={statusOf(profile)} />,
    },
    {
      key: "lastCheck",
      title: t("activity.lastCheck"),
      width: 200,
      render: ({ lastOcsp, revokeDate }) => (
        <LastCheck check={lastCheckOf({ lastCheckAt: lastOcsp, revokedAt: revokeDate })} />
      ),
    },
    ...(mayRevoke
      ? [
          {
            key: "actions",
            title: t("guests.actions"),
            width: 130,
            card: "actions" as const,
            render: (profile: GuestProfile) =>
              statusOf(profile) === "active" && (
                <RevokeGuestProfile account={account} profile={{ ...profile, name: account.name }} />
              ),
          },
        ]
      : []),
  ];
}
