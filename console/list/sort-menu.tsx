import { NativeSelect } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Column } from "./columns.ts";

/** Shows a menu of the list's orders, for layouts without column headings. */
export function SortMenu<Row>({
  columns,
  sort,
  defaultSort,
  onSort,
}: {
  columns: readonly Column<Row>[];
  /** The sort key in the address. Undefined: the list's own order. */
  sort: string | undefined;
  defaultSort: string | undefined;
  onSort: (sort: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const orders = columns.flatMap(({ title, sortKey }) =>
    sortKey === undefined
      ? []
      : (["asc", "desc"] as const).map((order) => ({
          value: order === "asc" ? sortKey : `-${sortKey}`,
          label: t(`list.order.${order}`, { title }),
        })),
  );
  if (orders.length === 0) return null;
  return (
    <NativeSelect
      flex={1}
      miw={200}
      aria-label={t("list.sort")}
      value={sort ?? defaultSort ?? ""}
      data={[...(defaultSort === undefined ? [{ value: "", label: t("list.newestFirst") }] : []), ...orders]}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        onSort(chosen === "" ? undefined : chosen);
      }}
    />
  );
}
