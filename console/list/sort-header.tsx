import { Group, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconSelector } from "../ui/icons.tsx";
import { useTranslation } from "react-i18next";

export type SortOrder = "asc" | "desc";

const icons = { asc: IconArrowUp, desc: IconArrowDown };

/**
 * Shows the heading of a sortable column; a second press reverses the order. The library's own heading announces its
 * order to screen readers in English only.
 */
export function SortHeader({
  title,
  order,
  onSort,
}: {
  title: string;
  /** Undefined if the list is not sorted by this column. */
  order: SortOrder | undefined;
  onSort: (order: SortOrder) => void;
}) {
  const { t } = useTranslation();
  const Icon = order === undefined ? IconSelector : icons[order];
  return (
    <UnstyledButton
      fz="inherit"
      fw="inherit"
      mih={24}
      style={{ outlineOffset: -3 }}
      onClick={() => {
        onSort(order === "asc" ? "desc" : "asc");
      }}
    >
      <Group gap={4} wrap="nowrap">
        {title}
        <Icon size={14} aria-hidden />
        {order !== undefined && <VisuallyHidden>{t(`list.sorted.${order}`)}</VisuallyHidden>}
      </Group>
    </UnstyledButton>
  );
}
