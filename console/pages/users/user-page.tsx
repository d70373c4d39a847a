import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, ApiError, dataOf } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useMay } from "../../session/may.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Page } from "../../ui/page.tsx";
import { usePersonID } from "../../ui/person.tsx";
import { CreateProfileDialog } from "./create-profile-dialog.tsx";
import { ExportButton } from "./export-button.tsx";
import { GraceNotice } from "./grace-notice.tsx";
import type { User } from "./load-users.ts";
import { RunNotice } from "./run-notice.tsx";
import { useUserActions } from "./use-user-actions.tsx";
import { UserActivity } from "./user-activity.tsx";
import { UserButtons } from "./user-buttons.tsx";
import { UserFacts } from "./user-facts.tsx";
import { UserProfiles } from "./user-profiles.tsx";
import { UserRoles } from "./user-roles.tsx";
import { UserSessions } from "./user-sessions.tsx";

/** One person: what they have, and what can be done. */
export function UserPage() {
  const { t } = useTranslation();
  const { userID = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: ["user", userID],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}", { params: { path: { userID } }, signal })),
  });
  if (data !== undefined) return <Person user={data} />;
  if (error === null)
    return (
      <Page title={t("users.person")}>
        <Skeleton height={280} aria-label={t("shell.loading")} role="status" />
      </Page>
    );
  if (error instanceof ApiError && error.status === 404) return <UnknownPerson />;
  return (
    <Page title={t("users.person")}>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </Page>
  );
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
  const { run, stop, dismiss, busy, perform } = useUserActions();
  const personID = usePersonID();
  const may = useMay();
  return (
    <Page
      title={personID(user)}
      lead={user.email === "" ? undefined : user.email}
      actions={
        <>
          {!user.blacklisted && !user.locked && may("createProfile") && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
              {t("users.newProfile")}
            </Button>
          )}
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
        <UserFacts user={user} />
        <UserProfiles user={user} />
        <UserRoles userID={user.userID} />
        <UserSessions userID={user.userID} />
        <Allowed to="audit">
          <UserActivity userID={user.userID} />
        </Allowed>
      </Stack>
      <CreateProfileDialog user={user} opened={creating} onClose={close} />
    </Page>
  );
}
