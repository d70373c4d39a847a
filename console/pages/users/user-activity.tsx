import { Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, listOf } from "../../api/api-client.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Time } from "../../ui/time.tsx";
import { About } from "../audit/about.tsx";
import { useEventText } from "../audit/event-text.ts";
import { Section } from "./section.tsx";

const shownMax = 10;

/** The latest that a person did. What others did to the person is no filter of the log, and the page says so. */
export function UserActivity({ userID }: { userID: string }) {
  const { t } = useTranslation();
  const text = useEventText();
  const { data, error, refetch } = useQuery({
    queryKey: ["audit", "of-user", userID],
    queryFn: ({ signal }) =>
      listOf(api.GET("/api/audit", { params: { query: { limit: shownMax, filter: { user: userID } } }, signal })),
  });
  return (
    <Section
      title={t("users.activity.title")}
      note={t("users.activity.note")}
      aside={
        <AnchorLink to="/audit" search={{ user: userID }} size="sm">
          {t("users.activity.all")}
        </AnchorLink>
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={80} role="status" aria-label={t("shell.loading")} />}
      {data?.total === 0 && <Text c="dimmed">{t("users.activity.none")}</Text>}
      {data !== undefined && data.total > 0 && (
        <Table.ScrollContainer minWidth={480}>
          <Table withTableBorder verticalSpacing="xs" aria-label={t("users.activity.title")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("audit.columns.time")}</Table.Th>
                <Table.Th>{t("audit.columns.what")}</Table.Th>
                <Table.Th>{t("audit.columns.about")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map((entry) => (
                <Table.Tr key={entry.id}>
                  <Table.Td>
                    <Time at={entry.date} />
                  </Table.Td>
                  <Table.Td>{text(entry)}</Table.Td>
                  <Table.Td>
                    <About entry={entry} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  );
}
