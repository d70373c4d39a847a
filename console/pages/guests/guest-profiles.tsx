import { Button, Title } from "@mantine/core";
import { IconDevices } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, listOf, type Schemas } from "../../api/api-client.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import { confirm } from "../../ui/confirm.tsx";
import { notifyDone } from "../../ui/notify.tsx";
import { Serial } from "../../ui/serial.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";
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

function useColumns(account: GuestAccount): Column<GuestProfile>[] {
  const { t } = useTranslation();
  const revoke = useRevocation(account);
  const ended = guestAccountStatus(account, new Date()) === "expired";
  const statusOf = ({ revokeDate }: GuestProfile) => (revokeDate !== null ? "revoked" : ended ? "expired" : "active");
  return [
    {
      key: "serial",
      title: t("guests.serial"),
      sortKey: "serial",
      text: ({ serial }) => serial,
      render: ({ serial }) => <Serial serial={serial} />,
    },
    {
      key: "deviceType",
      title: t("guests.deviceType"),
      width: 120,
      text: ({ deviceType }) => deviceType,
      render: ({ deviceType }) => deviceType,
    },
    {
      key: "created",
      title: t("guests.created_at"),
      sortKey: "creationdate",
      width: 200,
      text: ({ creationDate }) => creationDate,
      render: ({ creationDate }) => <Time at={creationDate} />,
    },
    {
      key: "state",
      title: t("guests.state"),
      width: 140,
      text: statusOf,
      render: (profile) => <StatusBadge status={statusOf(profile)} />,
    },
    {
      key: "lastCheck",
      title: t("guests.lastCheck"),
      width: 200,
      text: ({ lastOcsp }) => lastOcsp ?? "",
      render: ({ lastOcsp }) => (lastOcsp === null ? t("guests.never") : <Time at={lastOcsp} />),
    },
    {
      key: "actions",
      title: t("guests.actions"),
      width: 130,
      render: (profile) =>
        statusOf(profile) === "active" && (
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
