import { Card, Skeleton, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { useAnchor } from "../../ui/use-anchor.ts";
import { formatNumber } from "../../ui/value/time.tsx";

/** Shows the realm's roles, and how many people have each role. */
export function RolesCard() {
  const { t, i18n } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["roles"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/roles", { signal })),
  });
  return (
    <Card {...useAnchor("roles")} withBorder component="section" aria-label={t("roles.title")}>
      <Title order={2} size="h3">
        {t("roles.title")}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t("roles.cardNote")}
      </Text>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={120} role="status" aria-label={t("shell.loading")} />}
      {data !== undefined && (
        <Table.ScrollContainer
          minWidth={300}
          scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": t("roles.title") } }}
        >
          <Table verticalSpacing="xs" aria-label={t("roles.title")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("roles.role")}</Table.Th>
                <Table.Th ta="right">{t("roles.people")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map(({ role, people }) => (
                <Table.Tr key={role}>
                  <Table.Td>
                    <Text fw={600}>{t(`roles.names.${role}`)}</Text>
                    <Text size="sm" c="dimmed">
                      {t(`roles.what.${role}`)}
                    </Text>
                  </Table.Td>
                  <Table.Td ta="right">{people === null ? "–" : formatNumber(people, i18n.language)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}
