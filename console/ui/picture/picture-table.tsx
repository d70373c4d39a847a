import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** The numbers of a chart. The first cell of each row is the row's name; all other cells are numbers. */
export interface Numbers {
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}

/** Shows a table with the numbers of a chart. */
export function PictureTable({ label, columns, rows }: Numbers & { label: string }) {
  return (
    <Table.ScrollContainer
      minWidth={280}
      maxHeight={320}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": label } }}
    >
      <Table withTableBorder stickyHeader aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column, index) => (
              <Table.Th key={column} ta={index === 0 ? "left" : "right"}>
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells: [name, ...numbers] }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              {numbers.map((number, index) => (
                <Table.Td key={columns[index + 1]} ta="right">
                  {number}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
