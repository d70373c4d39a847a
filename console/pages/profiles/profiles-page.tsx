import { Button } from "@mantine/core";
import { IconBan, IconDevices } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { CsvColumn } from "../../../domain/csv.ts";
import { answerOf, api, type Schemas } from "../../api/api-client.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import type { LoadList } from "../../list/export-csv.ts";
import type { Filter } from "../../list/filters.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { DetailDrawer, useOpened } from "../../ui/detail-drawer.tsx";
import { Page } from "../../ui/page.tsx";
import { PersonLink } from "../../ui/person.tsx";
import { Serial } from "../../ui/serial.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { useDeviceTypeChoices, useDeviceTypeName } from "./device-types.ts";
import { ProfileDetails } from "./profile-details.tsx";
import { statusOf, type Profile } from "./profile.ts";
import { useRevoke, useRevokeAsJob } from "./revoke.tsx";

/** A profile with whose it is. */
type OwnedProfile = Profile & { person: Schemas["Person"] | undefined };

const load: LoadList<OwnedProfile> = async (query, signal) => {
  const params = { query: { ...query, include: "people" } };
  const { data, total, people } = await answerOf(api.GET("/api/profiles", { params, signal }));
  return { data: data.map((profile) => ({ ...profile, person: people?.[profile.owner] })), total: total ?? 0 };
};

/** Everything that the realm's users are on the network with. */
export function ProfilesPage() {
  const { t } = useTranslation();
  const columns = useColumns();
  const revoke = useRevoke();
  const revokeAsJob = useRevokeAsJob();
  const [, open] = useOpened();
  const may = useMay();
  const filters: Filter[] = [
    {
      kind: "choice",
      key: "deviceType",
      label: t("profiles.columns.deviceType"),
      choices: useDeviceTypeChoices(),
    },
    { kind: "days", min: "minExpirationTime", max: "maxExpirationTime", label: t("profiles.filters.expires") },
    { kind: "days", min: "minCreated", max: "maxCreated", label: t("profiles.filters.created") },
  ];
  return (
    <Page title={t("nav.profiles")} lead={t("profiles.lead")}>
      <DataList<OwnedProfile>
        name="profiles"
        label={t("profiles.table")}
        load={load}
        idOf={({ serial }) => serial}
        rowLabel={({ name, serial }) => `${name} (${serial})`}
        columns={columns}
        exported={useExported()}
        filters={filters}
        searchLabel={t("profiles.search")}
        noMatchHint={t("profiles.noMatch")}
        defaultSort="-createtime"
        empty={{ icon: IconDevices, text: t("profiles.empty") }}
        {...(may("revokeProfile") && {
          actions: (rows, clear) => (
            <Button
              size="xs"
              color="red"
              variant="light"
              leftSection={<IconBan size={16} aria-hidden />}
              onClick={() => {
                revoke(rows, clear);
              }}
            >
              {t("profiles.revoke.action", { count: rows.length })}
            </Button>
          ),
        })}
        {...(may("revokeAll") && {
          actionsOnAll: ({ found, total }) => (
            <Button
              size="xs"
              color="red"
              variant="light"
              leftSection={<IconBan size={16} aria-hidden />}
              onClick={() => {
                revokeAsJob({ matching: found }, total);
              }}
            >
              {t("profiles.revoke.action", { count: total })}
            </Button>
          ),
        })}
        onOpen={({ serial }) => {
          open(serial);
        }}
      />
      <DetailDrawer title={t("profiles.details.title")}>{(serial) => <ProfileDetails serial={serial} />}</DetailDrawer>
    </Page>
  );
}

function useColumns(): Column<OwnedProfile>[] {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  return [
    {
      key: "serial",
      title: t("profiles.columns.serial"),
      sortKey: "serial",
      render: ({ serial }) => (
        <AnchorLink to="." search={(search) => ({ ...search, open: serial })} resetScroll={false} inherit>
          <Serial serial={serial} short />
        </AnchorLink>
      ),
    },
    { key: "name", title: t("profiles.columns.name"), render: ({ name }) => name },
    {
      key: "owner",
      title: t("profiles.columns.owner"),
      render: ({ owner }) => <PersonLink userID={owner} />,
    },
    {
      key: "deviceType",
      title: t("profiles.columns.deviceType"),
      render: ({ deviceType }) => deviceTypeName(deviceType),
    },
    {
      key: "status",
      title: t("profiles.columns.status"),
      render: (profile) => <StatusBadge status={statusOf(profile)} />,
    },
    {
      key: "created",
      title: t("profiles.columns.created"),
      sortKey: "createtime",
      render: ({ creationTime }) => <Time at={creationTime} dateOnly />,
    },
    {
      key: "expires",
      title: t("profiles.columns.expires"),
      sortKey: "expirationtime",
      render: ({ expirationTime }) => <Time at={expirationTime} dateOnly />,
    },
  ];
}

function useExported(): CsvColumn<OwnedProfile>[] {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  return [
    { title: t("profiles.columns.serial"), serial: ({ serial }) => serial },
    { title: t("profiles.columns.name"), text: ({ name }) => name },
    { title: t("users.columns.pairwiseID"), text: ({ person }) => person?.pairwiseID ?? null },
    { title: t("users.columns.email"), text: ({ person }) => person?.email ?? null },
    // Not “Device type”, which a job would take for the type of a profile to issue.
    { title: t("profiles.columns.device"), text: ({ deviceType }) => deviceTypeName(deviceType) },
    { title: t("profiles.columns.status"), text: (profile) => t(`status.${statusOf(profile)}`) },
    { title: t("profiles.columns.created"), time: ({ creationTime }) => creationTime },
    { title: t("profiles.columns.expires"), time: ({ expirationTime }) => expirationTime },
  ];
}
