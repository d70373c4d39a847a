import { Button, Group, Text } from "@mantine/core";
import { useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../ui/value/time.tsx";
import type { Selection } from "./selection.ts";

interface SelectionBarProps<Row> {
  selection: Selection<Row>;
  /** The number of rows on this page. */
  shown: number;
  /** The number of rows on all pages. */
  total: number;
  /** Actions on the selected rows. */
  actions: ((rows: Row[], clear: () => void) => ReactNode) | undefined;
  /** Actions on all rows of all pages. */
  actionsOnAll: ((clear: () => void) => ReactNode) | undefined;
}

/** Shows the number of rows or of selected rows, and the actions on the selected rows. */
export function SelectionBar<Row>({ selection, shown, total, actions, actionsOnAll }: SelectionBarProps<Row>) {
  const { t, i18n } = useTranslation();
  const count = useRef<HTMLParagraphElement>(null);
  const { rows, everything } = selection;
  const formatted = formatNumber(total, i18n.language);
  /** The pressed button disappears with the selection; the focus moves to the count. */
  const pressed = (act: () => void) => () => {
    act();
    count.current?.focus({ preventScroll: true });
  };
  const clear = pressed(selection.clear);
  const offersAll = actionsOnAll !== undefined && !everything && shown > 0 && rows.length === shown && total > shown;

  return (
    <Group mih={36} justify="space-between">
      <Group gap="xs">
        <Text size="sm" c="dimmed" role="status" ref={count} tabIndex={-1}>
          {everything
            ? t("list.allSelected", { formatted })
            : rows.length > 0
              ? t("list.selected", { count: rows.length })
              : t("list.total", { count: total, formatted })}
        </Text>
        {offersAll && (
          <Button size="compact-sm" variant="subtle" onClick={pressed(selection.chooseEverything)}>
            {t("list.selectMatching", { formatted })}
          </Button>
        )}
        {everything && (
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            {t("list.clearSelection")}
          </Button>
        )}
      </Group>
      {everything && actionsOnAll !== undefined ? (
        <Group gap="xs">{actionsOnAll(clear)}</Group>
      ) : (
        actions !== undefined && rows.length > 0 && <Group gap="xs">{actions(rows, clear)}</Group>
      )}
    </Group>
  );
}
