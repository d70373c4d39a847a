import { Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../ui/value/time.tsx";
import { useBucketName } from "./activity-words.ts";
import type { Series } from "./overview.ts";

export default function ActivityTable({ series }: { series: Series }) {
  const { t, i18n } = useTranslation();
  const nameOf = useBucketName();
  const number = (value: number) => formatNumber(value, i18n.language);
  const label = t("dashboard.activity.title");
  return (
    <Table.ScrollContainer
      minWidth={280}
      maxHeight={320}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": label } }}
    >
      <Table withTableBorder stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              {t(series.bucketSeconds < 86_400 ? "dashboard.activity.hour" : "dashboard.activity.day")}
            </Table.Th>
            <Table.Th ta="right">{t("dashboard.activity.issued")}</Table.Th>
            <Table.Th ta="right">{t("dashboard.activity.revoked")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {series.buckets.map(({ from, issued, revoked }) => (
            <Table.Tr key={from}>
              <Table.Th scope="row" fw={400}>
                {nameOf(series, from)}
              </Table.Th>
              <Table.Td ta="right">{number(issued)}</Table.Td>
              <Table.Td ta="right">{number(revoked)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
