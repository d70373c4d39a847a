import { ActionIcon, Group, NativeSelect, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../ui/value/time.tsx";
import { pageSizes, type ListState } from "./list-state.ts";

/** Shows which rows are on the page, a choice of the page size, and buttons for the previous and the next page. */
export function CardPages({
  total,
  state: { page, size },
  change,
}: {
  total: number;
  state: ListState;
  change: (change: Partial<ListState>) => void;
}) {
  const { t, i18n } = useTranslation();
  const last = Math.max(1, Math.ceil(total / size));
  const go = (to: number) => () => {
    change({ page: to });
    window.scrollTo({ top: 0 });
  };
  const range = {
    from: Math.min((page - 1) * size + 1, total),
    to: Math.min(page * size, total),
    total: formatNumber(total, i18n.language),
  };
  return (
    <Group justify="space-between" gap="xs">
      <NativeSelect
        aria-label={t("list.perPage")}
        value={size}
        data={pageSizes.map(String)}
        onChange={(event) => {
          const chosen = Number(event.currentTarget.value);
          change({ size: pageSizes.find((known) => known === chosen) ?? pageSizes[0] });
        }}
      />
      <Text size="sm">{t("list.range", range)}</Text>
      <Group gap="xs" wrap="nowrap">
        <ActionIcon
          size={44}
          variant="default"
          aria-label={t("list.previous")}
          disabled={page <= 1}
          onClick={go(Math.min(page - 1, last))}
        >
          <IconChevronLeft aria-hidden />
        </ActionIcon>
        <ActionIcon
          size={44}
          variant="default"
          aria-label={t("list.next")}
          disabled={page >= last}
          onClick={go(page + 1)}
        >
          <IconChevronRight aria-hidden />
        </ActionIcon>
      </Group>
    </Group>
  );
}
