import { Button, Title } from "@mantine/core";
import { IconDevices } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CsvColumn } from "../../../domain/csv.ts";
import { api, dataOf, listOf, type Schemas } from "../../api/api-client.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import { useMay } from "../../session/may.ts";
import { confirm } from "../../ui/confirm.tsx";
import { notifyDone } from "../../ui/notify.tsx";
import { Serial } from "../../ui/serial.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { useDeviceTypeName } from "../profiles/device-types.ts";
import { guestAccountKey, guestAccountsKey, guestAccountStatus, type GuestAccount } from "./guest-accounts.ts";

type GuestProfile = Schemas["GuestProfile"];

/** The profiles of a guest account, and revoking one of them. */
export function GuestProfiles({ account }: { account: GuestAccount }) {
  const { t } = useTranslation();
  const { id } = account;
  const columns = useColumns(account);
  return (
    <>
      <Title order={2} size="h3">
        {t("nav.profiles")}
      </Title>
      <DataList
        name={profilesKey(id)}
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
        rowLabel={({ serial }) => serial}
        columns={columns}
        exported={useExported(account)}
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
      />
    </>
  );
}

const profilesKey = (id: string): string => `guest-account-${id}-profiles`;

/** What profiles of an account are in, which end with it. */
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
    { title: t("guests.deviceType"), text: ({ deviceType }) => deviceTypeName(deviceType) },
    { title: t("guests.created_at"), time: ({ creationDate }) => creationDate },
    { title: t("guests.state"), text: (profile) => t(`status.${statusOf(profile)}`) },
    { title: t("guests.lastCheck"), time: ({ lastOcsp }) => lastOcsp },
  ];
}

function useColumns(account: GuestAccount): Column<GuestProfile>[] {
  const { t } = useTranslation();
  const revoke = useRevocation(account);
  const mayRevoke = useMay()("revokeGuest");
  const statusOf = statusWithin(account);
  return [
    {
      key: "serial",
      title: t("guests.serial"),
      sortKey: "serial",
      render: ({ serial }) => <Serial serial={serial} />,
    },
    {
      key: "deviceType",
      title: t("guests.deviceType"),
      width: 120,
      render: ({ deviceType }) => deviceType,
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
      render: (profile) => <StatusBadge status={statusOf(profile)} />,
    },
    {
      key: "lastCheck",
      title: t("guests.lastCheck"),
      width: 200,
      render: ({ lastOcsp }) => (lastOcsp === null ? t("guests.never") : <Time at={lastOcsp} />),
    },
    {
      key: "actions",
      title: t("guests.actions"),
      width: 130,
      render: (profile) =>
        statusOf(profile) === "active" &&
        mayRevoke && (
          <Button
            size="compact-sm"
            variant="light"
            color="red"
            aria-label={t("guests.revokeProfileNamed", { serial: tailOf(profile.serial) })}
            onClick={() => {
              confirm({
                title: t("guests.revokeProfileTitle", { serial: tailOf(profile.serial) }),
                children: t("guests.revokeProfileText", { device: profile.deviceType }),
                confirmLabel: t("guests.revokeProfileNamed", { serial: tailOf(profile.serial) }),
                onConfirm: () => revoke(profile.serial),
              });
            }}
          >
            {t("guests.revoke")}
          </Button>
        ),
    },
  ];
}

/** How people tell serial numbers apart. */
const tailOf = (serial: string): string => `…${serial.slice(-8)}`;

function useRevocation({ id }: GuestAccount) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return async (profileSerial: string) => {
    await dataOf(api.DELETE("/api/guest-profile/{profileSerial}", { params: { path: { profileSerial } } }));
    await queries.invalidateQueries({ queryKey: [profilesKey(id)] });
    void queries.invalidateQueries({ queryKey: guestAccountKey(id) });
    void queries.invalidateQueries({ queryKey: [guestAccountsKey] });
    notifyDone(t("guests.profileRevoked", { serial: tailOf(profileSerial) }));
  };
}
