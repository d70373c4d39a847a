import { Table } from "@mantine/core";
import { Cards } from "./cards.tsx";
import type { Column } from "./columns.ts";
import { usePhone } from "./use-phone.ts";

/** Shows all rows in one table without pages; on phones as cards. */
export function ShortTable<Row>({
  label,
  rows,
  idOf,
  columns,
}: {
  /** The table's accessible name. */
  label: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  columns: readonly Column<Row>[];
}) {
  if (usePhone()) return <Cards label={label} rows={rows} idOf={idOf} columns={columns} />;
  return (
    <Table.ScrollContainer
      minWidth={560}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": label } }}
    >
      <Table withTableBorder highlightOnHover verticalSpacing="xs" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ key, title, width, align }) => (
              <Table.Th key={key} w={width} ta={align}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={idOf(row)}>
              {columns.map(({ key, render, align }) => (
                <Table.Td key={key} ta={align} style={{ overflowWrap: "anywhere" }}>
                  {render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
