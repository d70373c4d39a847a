import { Button, Skeleton, Table, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, idempotent, type Schemas } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { ErrorNotice, useErrorMessage } from "../../ui/error-notice.tsx";
import { notifyDone, notifyFailed } from "../../ui/notify.tsx";
import { Time } from "../../ui/time.tsx";
import { useHeadingAfterwards } from "../../ui/use-return-focus.ts";
import { Section } from "../../ui/section.tsx";

/** What a person is signed in to. */
export function UserSessions({ userID }: { userID: string }) {
  const { t } = useTranslation();
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
        <Table.ScrollContainer minWidth={560}>
          <Table withTableBorder verticalSpacing="xs" aria-label={t("users.sessions.title")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("users.sessions.application")}</Table.Th>
                <Table.Th>{t("users.sessions.since")}</Table.Th>
                <Table.Th>{t("users.sessions.lastUsed")}</Table.Th>
                <Allowed to="endSession">
                  <Table.Th>{t("users.profiles.action")}</Table.Th>
                </Allowed>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((session) => (
                <SessionRow key={session.id} userID={userID} session={session} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  );
}

function SessionRow({ userID, session }: { userID: string; session: Schemas["Session"] }) {
  const { t } = useTranslation();
  const message = useErrorMessage();
  const queries = useQueryClient();
  useHeadingAfterwards();
  const { id: sid, clientName, createdAt, lastUsedAt, current } = session;
  const { mutate: end, isPending } = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE("/api/user/{userID}/sessions/{sid}", {
          params: { path: { userID, sid }, header: idempotent() },
        }),
      ),
    onSuccess() {
      notifyDone(t("users.sessions.done", { name: clientName }));
    },
    onError(error) {
      notifyFailed(message(error));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["user-sessions", userID] }),
  });
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {clientName}
        {current && ` (${t("users.sessions.current")})`}
      </Table.Td>
      <Table.Td>
        <Time at={createdAt} />
      </Table.Td>
      <Table.Td>
        <Time at={lastUsedAt} />
      </Table.Td>
      <Allowed to="endSession">
        <Table.Td>
          <Button
            size="compact-sm"
            variant="default"
            loading={isPending}
            aria-label={t("users.sessions.endOf", { name: clientName })}
            onClick={() => {
              end();
            }}
          >
            {t("users.sessions.end")}
          </Button>
        </Table.Td>
      </Allowed>
    </Table.Tr>
  );
}
