import { Button, Skeleton, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, idempotent, type Schemas } from "../../api/api-client.ts";
import type { Column } from "../../list/columns.ts";
import { ShortTable } from "../../list/short-table.tsx";
import { useMay } from "../../session/may.ts";
import { ErrorNotice, useErrorMessage } from "../../ui/notice/error-notice.tsx";
import { notifyDone, notifyFailed } from "../../ui/notice/notify.tsx";
import { isConsole } from "../../ui/value/application-name.tsx";
import { Time } from "../../ui/value/time.tsx";
import { useHeadingAfterwards } from "../../ui/dialog/use-return-focus.ts";
import { Section } from "../../ui/section.tsx";

export function UserSessions({ userID }: { userID: string }) {
  const { t } = useTranslation();
  const columns = useColumns(userID);
  const { data, error, refetch } = useQuery({
    queryKey: ["user-sessions", userID],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/sessions", { params: { path: { userID } }, signal })),
  });
  return (
    <Section title={t("users.sessions.title")} note={t("users.sessions.note")}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={60} role="status" aria-label={t("shell.loading")} />}
      {data?.length === 0 && <Text c="dimmed">{t("users.sessions.none")}</Text>}
      {data !== undefined && data.length > 0 && (
        <ShortTable label={t("users.sessions.title")} rows={data} idOf={({ id }) => id} columns={columns} />
      )}
    </Section>
  );
}

/** Returns a function that names the application of a session. */
function useNameOf() {
  const { t } = useTranslation();
  return ({ client_id: clientId, clientName }: Schemas["Session"]): string =>
    isConsole(clientId) ? t("audit.theConsole") : clientName;
}

function useColumns(userID: string): Column<Schemas["Session"]>[] {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const mayEnd = useMay()("endSession");
  return [
    {
      key: "application",
      title: t("users.sessions.application"),
      card: "title",
      render: (session) => `${nameOf(session)}${session.current ? ` (${t("users.sessions.current")})` : ""}`,
    },
    { key: "since", title: t("users.sessions.since"), render: ({ createdAt }) => <Time at={createdAt} /> },
    { key: "lastUsed", title: t("users.sessions.lastUsed"), render: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    ...(mayEnd
      ? [
          {
            key: "actions",
            title: t("users.profiles.action"),
            card: "actions" as const,
            render: (session: Schemas["Session"]) => <EndButton userID={userID} session={session} />,
          },
        ]
      : []),
  ];
}

function EndButton({ userID, session }: { userID: string; session: Schemas["Session"] }) {
  const { t } = useTranslation();
  const name = useNameOf()(session);
  const { id: sid } = session;
  const message = useErrorMessage();
  const queries = useQueryClient();
  useHeadingAfterwards();
  const { mutate: end, isPending } = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE("/api/user/{userID}/sessions/{sid}", {
          params: { path: { userID, sid }, header: idempotent() },
        }),
      ),
    onSuccess() {
      notifyDone(t("users.sessions.done", { name }));
    },
    onError(error) {
      notifyFailed(message(error));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["user-sessions", userID] }),
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isPending}
      aria-label={t("users.sessions.endOf", { name })}
      onClick={() => {
        end();
      }}
    >
      {t("users.sessions.end")}
    </Button>
  );
}
