import { Button, Text } from "@mantine/core";
import { IconUserPlus, IconUsers } from "../../ui/icons.tsx";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { CsvColumn } from "../../../domain/csv.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import { useListState } from "../../list/list-state.ts";
import { useMay } from "../../session/may.ts";
import { Page } from "../../ui/page.tsx";
import { Bounded } from "../../ui/value/bounded.tsx";
import { besideName, labelled, PersonCell, usePersonName } from "../../ui/value/person.tsx";
import { StatusBadge, userStatus } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { loadUsers, usersFilter, type User } from "./load-users.ts";
import { ProfilesUsed } from "./profiles/profiles-used.tsx";
import { RunNotice } from "./run-notice.tsx";
import { SearchNote } from "./search-note.tsx";
import { useUserActions } from "./use-user-actions.tsx";
import { AllUsersButtons, UserButtons } from "./user-buttons.tsx";
import { useUserFilters } from "./user-filters.ts";

/** Shows the realm's users. The search finds users by pseudonymous ID, e-mail address, name or device. */
export function UsersPage() {
  const { t } = useTranslation();
  const nameOf = usePersonName();
  const navigate = useNavigate();
  const [{ q }] = useListState([]);
  const { run, stop, dismiss, busy, check, perform } = useUserActions();
  const may = useMay();
  const onboard = may("newJob") && (
    <Button component={Link} to="/jobs/new/onboarding" leftSection={<IconUserPlus size={16} aria-hidden />}>
      {t("users.onboard")}
    </Button>
  );
  return (
    <Page title={t("nav.users")} lead={t("users.lead")} actions={onboard}>
      <RunNotice run={run} onStop={stop} onClose={dismiss} />
      <DataList<User>
        name="users"
        label={t("users.table")}
        load={loadUsers}
        idOf={({ userID }) => userID}
        rowLabel={(user) => labelled(nameOf(user), besideName(user))}
        columns={useColumns()}
        exported={{ as: "users", columns: useExported() }}
        filters={useUserFilters()}
        searchLabel={t("users.search")}
        searchNote={<SearchNote written={q} />}
        noMatchHint={t("users.noMatch")}
        defaultSort="-created"
        empty={{ icon: IconUsers, text: t("users.empty"), action: onboard }}
        {...(may("lock") && {
          actions: (rows, clear) => (
            <UserButtons
              users={rows}
              size="xs"
              busy={busy}
              onAct={(verb) => {
                perform(verb, rows, clear);
              }}
            />
          ),
        })}
        {...(may("newJob") && {
          actionsOnAll: ({ found }) => (
            <AllUsersButtons
              found={found}
              busy={busy}
              onAct={(kind) => {
                void check({ kind, of: { matching: { filter: usersFilter(found) } } });
              }}
            />
          ),
        })}
        onOpen={({ userID }) => {
          void navigate({ to: "/users/$userID", params: { userID } });
        }}
      />
    </Page>
  );
}

function useColumns(): Column<User>[] {
  const { t } = useTranslation();
  return [
    {
      key: "person",
      title: t("users.person"),
      card: "title",
      render: (user) => <PersonCell userID={user.userID} person={user} />,
    },
    {
      key: "pairwiseID",
      title: t("users.columns.pairwiseID"),
      sortKey: "pairwiseid",
      render: ({ pairwiseID }) =>
        pairwiseID !== "" && (
          <Text span size="sm" c="dimmed">
            <Bounded text={pairwiseID} />
          </Text>
        ),
    },
    {
      key: "status",
      title: t("users.columns.status"),
      card: "badge",
      render: (user) => <StatusBadge status={userStatus(user)} />,
    },
    {
      key: "profiles",
      title: t("users.columns.profiles"),
      sortKey: "profilecount",
      render: (user) => <ProfilesUsed user={user} />,
    },
    {
      key: "created",
      title: t("users.columns.created"),
      sortKey: "created",
      render: ({ creationTime }) => <Time at={creationTime} dateOnly />,
    },
  ];
}

/**
 * Returns the columns of the exported file. The ID of a forgotten user is empty, so an upload of the file matches no
 * other person.
 */
function useExported(): CsvColumn<User>[] {
  const { t } = useTranslation();
  return [
    { title: t("users.columns.name"), text: ({ displayName }) => displayName ?? null },
    { title: t("users.columns.pairwiseID"), text: ({ pairwiseID }) => pairwiseID },
    { title: t("users.columns.email"), text: ({ email }) => email },
    { title: t("users.columns.status"), text: (user) => t(`status.${userStatus(user)}`) },
    { title: t("users.columns.profiles"), text: ({ profileCount }) => profileCount },
    { title: t("users.columns.allowed"), text: ({ maxProfiles }) => maxProfiles },
    { title: t("users.columns.created"), time: ({ creationTime }) => creationTime },
  ];
}
