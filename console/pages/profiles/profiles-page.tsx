import { Button } from "@mantine/core";
import { IconBan, IconDevices } from "../../ui/icons.tsx";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { lastCheckOf } from "../../../domain/certificate/last-check.ts";
import type { CsvColumn } from "../../../domain/csv.ts";
import { answerOf, api, type Schemas } from "../../api/api-client.ts";
import { byText } from "../../list/by-text.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import type { LoadList } from "../../list/export-csv.ts";
import type { Filter } from "../../list/filters.tsx";
import { useListState, type Found } from "../../list/list-state.ts";
import { useMay } from "../../session/may.ts";
import { DetailDrawer, useOpened } from "../../ui/dialog/detail-drawer.tsx";
import { Page } from "../../ui/page.tsx";
import { DeviceLink } from "../../ui/value/device.tsx";
import { labelled, personName, PersonLink, rememberPeople, useIncludedPeople } from "../../ui/value/person.tsx";
import { Serial } from "../../ui/value/serial.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import type { ProfileActivity } from "../../activity/activity.ts";
import { LastCheck } from "../../activity/last-check.tsx";
import { useDeviceTypeChoices, useDeviceTypeName } from "../../ui/value/device-types.ts";
import { ProfileDetails } from "./profile-details.tsx";
import { isLive, statusOf, type Profile } from "./profile.ts";
import { RevocationButton } from "../bulk-jobs/new-job-buttons.tsx";
import { useRevoke, useRevokeAsJob } from "./revoke.tsx";

/** A profile with its owner and its last check by a RADIUS server. */
type OwnedProfile = Profile & { person: Schemas["Person"] | undefined; check: ProfileActivity["lastCheck"] };

const loadProfiles =
  (queries: QueryClient, people?: "people"): LoadList<OwnedProfile> =>
  async (query, signal) => {
    const include = people === undefined ? "checks" : `${people},checks`;
    const answer = await answerOf(
      api.GET("/api/profiles", { params: { query: { ...inEveryState(byText(query)), include } }, signal }),
    );
    const { data, total = data.length, people: owners, checks } = answer;
    rememberPeople(queries, owners);
    return {
      data: data.map((profile) => ({
        ...profile,
        person: owners?.[profile.owner],
        check: lastCheckOf({ lastCheckAt: checks?.[profile.serial] ?? null, revokedAt: profile.revokeTime }),
      })),
      total,
    };
  };

/**
 * Adds the filter for all states to a search, unless the user has chosen a state: a search must also find inactive
 * profiles.
 */
const inEveryState = <Query extends Found>({ filter, ...query }: Query) => ({
  ...query,
  ...(filter && { filter: filter["text"] === undefined ? filter : { state: "all", ...filter } }),
});

function useLoad(): LoadList<OwnedProfile> {
  const queries = useQueryClient();
  const { include } = useIncludedPeople();
  return useMemo(() => loadProfiles(queries, include), [queries, include]);
}

/** Shows the profiles of the realm's users: active profiles, unless the user searches or selects another state. */
export function ProfilesPage() {
  const { t } = useTranslation();
  const [{ q, filter }] = useListState(["state"]);
  const areRevoked = filter["state"] === "revoked";
  const areActive = filter["state"] === "active" || (filter["state"] === undefined && q === "");
  const columns = useColumns({ areRevoked });
  const revoke = useRevoke();
  const revokeAsJob = useRevokeAsJob();
  const [, open] = useOpened();
  const may = useMay();
  const filters: Filter[] = [
    {
      kind: "choice",
      key: "state",
      label: t("profiles.columns.status"),
      choices: (["active", "revoked"] as const).map((value) => ({ value, label: t(`status.${value}`) })),
    },
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
    <Page
      title={t("nav.profiles")}
      lead={t("profiles.lead")}
      {...(may("revocation") && { actions: <RevocationButton /> })}
    >
      <DataList<OwnedProfile>
        name="profiles"
        label={t(areRevoked ? "profiles.tableRevoked" : "profiles.table")}
        load={useLoad()}
        idOf={({ serial }) => serial}
        rowLabel={({ name, serial, owner, person }) =>
          labelled(name, [...(person === undefined ? [] : [personName({ ...person, userID: owner })]), serial])
        }
        columns={columns}
        exported={{ as: "profiles", columns: useExported({ areRevoked }) }}
        filters={filters}
        searchLabel={t("profiles.search")}
        noMatchHint={t("profiles.noMatch")}
        defaultSort={areRevoked ? "-revoketime" : "-createtime"}
        empty={{ icon: IconDevices, text: t("profiles.empty") }}
        {...(may("revokeProfile") &&
          !areRevoked && {
            actions: (rows, clear) => (
              <Button
                size="xs"
                color="red"
                variant="light"
                leftSection={<IconBan size={16} aria-hidden />}
                disabled={!rows.some(isLive)}
                onClick={() => {
                  revoke(rows.filter(isLive), clear);
                }}
              >
                {t("profiles.revoke.action", { count: rows.filter(isLive).length })}
              </Button>
            ),
          })}
        {...(may("revokeAll") &&
          areActive && {
            actionsOnAll: ({ found, total }) => (
              <Button
                size="xs"
                color="red"
                variant="light"
                leftSection={<IconBan size={16} aria-hidden />}
                onClick={() => {
                  revokeAsJob({ matching: byText(found) }, total);
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

function useColumns({ areRevoked }: { areRevoked: boolean }): Column<OwnedProfile>[] {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  return [
    {
      key: "name",
      title: t("profiles.columns.name"),
      card: "title",
      render: ({ name, serial }) => <DeviceLink serial={serial} name={name} here />,
    },
    {
      key: "owner",
      title: t("profiles.columns.owner"),
      render: ({ owner }) => <PersonLink userID={owner} />,
    },
    {
      key: "serial",
      title: t("profiles.columns.serial"),
      sortKey: "serial",
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
      key: "created",
      title: t("profiles.columns.created"),
      sortKey: "createtime",
      render: ({ creationTime }) => <Time at={creationTime} dateOnly />,
    },
    areRevoked
      ? {
          key: "revoked",
          title: t("profiles.details.revoked"),
          sortKey: "revoketime",
          render: ({ revokeTime }) => revokeTime !== null && <Time at={revokeTime} />,
        }
      : {
          key: "expires",
          title: t("profiles.columns.expires"),
          sortKey: "expirationtime",
          render: ({ expirationTime }) => <Time at={expirationTime} dateOnly />,
        },
    { key: "check", title: t("activity.lastCheck"), render: ({ check }) => <LastCheck check={check} /> },
  ];
}

function useExported({ areRevoked }: { areRevoked: boolean }): CsvColumn<OwnedProfile>[] {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  return [
    { title: t("profiles.columns.serial"), serial: ({ serial }) => serial },
    { title: t("profiles.columns.name"), text: ({ name }) => name },
    { title: t("profiles.columns.owner"), text: ({ person }) => person?.displayName ?? null },
    { title: t("users.columns.pairwiseID"), text: ({ person }) => person?.pairwiseID ?? null },
    { title: t("users.columns.email"), text: ({ person }) => person?.email ?? null },
    // Not “Device type”: a bulk job would read that column as the type of a profile to issue.
    { title: t("profiles.columns.device"), text: ({ deviceType }) => deviceTypeName(deviceType) },
    { title: t("profiles.columns.status"), text: (profile) => t(`status.${statusOf(profile)}`) },
    { title: t("profiles.columns.created"), time: ({ creationTime }) => creationTime },
    { title: t("profiles.columns.expires"), time: ({ expirationTime }) => expirationTime },
    ...(areRevoked
      ? [{ title: t("profiles.details.revoked"), time: ({ revokeTime }: OwnedProfile) => revokeTime }]
      : []),
    { title: t("activity.lastCheck"), time: ({ check }) => check?.at ?? null },
  ];
}
