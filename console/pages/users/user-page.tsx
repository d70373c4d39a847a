import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { api, ApiError, dataOf } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useMay } from "../../session/may.ts";
import { userActivityQuery } from "../../activity/activity.ts";
import { DiagnosisCard } from "../../activity/diagnosis-card.tsx";
import { SetUpButton, SetUpDialog } from "../../activity/set-up-dialog.tsx";
import { Timeline } from "../../activity/timeline.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { useIntent } from "../../ui/intent.ts";
import { loadPart } from "../../ui/load-file.ts";
import { Page } from "../../ui/page.tsx";
import { personQuery, usePersonName } from "../../ui/value/person.tsx";
import { CreateProfileDialog } from "./profiles/create-profile-dialog.tsx";
import { DirectoryNote } from "./directory-note.tsx";
import { ExportButton } from "./export-button.tsx";
import { GraceNotice } from "./grace-notice.tsx";
import { LimitDialog } from "./limit-dialog.tsx";
import type { User } from "./load-users.ts";
import { RunNotice } from "./run-notice.tsx";
import { useUserActions } from "./use-user-actions.tsx";
import { UserButtons } from "./user-buttons.tsx";
import { UserNoteSection } from "./user-note.tsx";
import { UserFacts } from "./user-facts.tsx";
import { isPossible, type UserAction } from "./user-calls.ts";
import { UserProfiles } from "./profiles/user-profiles.tsx";
import { UserRoles } from "./user-roles.tsx";
import { UserSessions } from "./user-sessions.tsx";

// Loaded after the page.
const DeviceLanes = lazy(() => loadPart(() => import("./profiles/device-lanes.tsx")));

/** Shows one person: their data and the actions on the person. */
export function UserPage() {
  const { t } = useTranslation();
  const { userID = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: ["user", userID],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}", { params: { path: { userID } }, signal })),
  });
  if (data !== undefined) return <Named user={data} />;
  if (error === null) return <Loading />;
  if (error instanceof ApiError && error.status === 404) return <UnknownPerson />;
  return (
    <Page title={t("users.person")}>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <Page title={t("users.person")}>
      <Skeleton height={280} aria-label={t("shell.loading")} role="status" />
    </Page>
  );
}

/** Adds the person's name, which the API's user object does not contain. */
function Named({ user }: { user: User }) {
  const { data, isPending } = useQuery(personQuery(user.userID));
  if (isPending) return <Loading />;
  return <Person user={{ ...user, displayName: data?.displayName }} />;
}

function UnknownPerson() {
  const { t } = useTranslation();
  return (
    <Page title={t("users.unknown")}>
      <Text>{t("users.unknownText")}</Text>
      <Button component={Link} to="/users" w="fit-content">
        {t("users.toList")}
      </Button>
    </Page>
  );
}

function Person({ user }: { user: User }) {
  const { t } = useTranslation();
  const [creating, { open, close }] = useDisclosure();
  const [offering, setUp] = useDisclosure();
  const { run, stop, dismiss, busy, perform } = useUserActions();
  const name = usePersonName()(user);
  const may = useMay();
  useIntent(`/users/${user.userID}`, {
    lock: () => {
      perform("lock", [user]);
    },
    unlock: () => {
      perform("unlock", [user]);
    },
    newProfile: open,
    setUpLink: setUp.open,
  });
  return (
    <Page
      title={name}
      lead={user.email === "" || user.email === name ? undefined : user.email}
      actions={
        <>
          {!user.blacklisted && !user.locked && may("createProfile") && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
              {t("users.newProfile")}
            </Button>
          )}
          {!user.blacklisted && !user.locked && may("offerSetUp") && <SetUpButton userID={user.userID} />}
          <Allowed to="exportPerson">
            <ExportButton userID={user.userID} />
          </Allowed>
          <UserButtons
            users={[user]}
            busy={busy}
            onAct={(verb) => {
              perform(verb, [user]);
            }}
          />
        </>
      }
    >
      <RunNotice run={run} onStop={stop} onClose={dismiss} />
      <GraceNotice
        user={user}
        busy={busy}
        onLetIn={() => {
          perform("reactivate", [user]);
        }}
      />
      <Stack gap="xl">
        <WhyOffline
          user={user}
          onCreate={open}
          onAct={(verb) => {
            perform(verb, [user]);
          }}
        />
        <DirectoryNote userID={user.userID} />
        <UserNoteSection user={user} />
        <UserProfiles user={user} />
        <Suspense fallback={null}>
          <DeviceLanes userID={user.userID} />
        </Suspense>
        <Timeline
          about={`user:${user.userID}`}
          sides
          load={(query, signal) =>
            dataOf(api.GET("/api/user/{userID}/timeline", { params: { path: { userID: user.userID }, query }, signal }))
          }
        />
        <UserRoles userID={user.userID} />
        <UserFacts user={user} />
        <UserSessions userID={user.userID} />
      </Stack>
      {offering && <SetUpDialog userID={user.userID} onClose={setUp.close} />}
      <CreateProfileDialog user={user} opened={creating} onClose={close} />
    </Page>
  );
}

/** Shows why the person's devices may be off the network, and what the user can do here. */
function WhyOffline({
  user,
  onCreate,
  onAct,
}: {
  user: User;
  onCreate: () => void;
  onAct: (verb: UserAction) => void;
}) {
  const { t } = useTranslation();
  const [limiting, { open, close }] = useDisclosure();
  const { data, error, refetch } = useQuery(userActivityQuery(user.userID));
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={120} role="status" aria-label={t("shell.loading")} />;
  const { diagnosis, notes, profiles } = data;
  const profile = profiles.find(({ serial }) => serial === diagnosis.serial);
  const may = useMay();
  const act = (verb: UserAction) =>
    isPossible[verb](user) && may(verb)
      ? () => {
          onAct(verb);
        }
      : undefined;
  return (
    <>
      <DiagnosisCard
        diagnosis={diagnosis}
        device={profile?.name}
        identity={profile?.identity}
        notes={notes}
        isFirst={profiles.length === 0}
        act={{
          reactivate: act("reactivate"),
          unlock: act("unlock"),
          raise_limit: may("changeLimit") ? open : undefined,
          set_up_anew: user.locked || user.blacklisted || !may("createProfile") ? undefined : onCreate,
        }}
      />
      {limiting && <LimitDialog user={user} onClose={close} />}
    </>
  );
}
