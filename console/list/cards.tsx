import { Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isOnControl, type Column } from "./columns.ts";
import type { Selection } from "./selection.ts";

interface CardsProps<Row> {
  /** The table's accessible name. */
  label: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  columns: readonly Column<Row>[];
  /** If omitted, the user cannot select rows. */
  chosen?: { selection: Selection<Row>; rowLabel: (row: Row) => string; disabled: boolean };
  /** Called when the user taps a card outside its links and buttons. */
  onOpen?: ((row: Row) => void) | undefined;
}

/**
 * Shows rows as cards, for phones. Screen readers still get a table: the roles are explicit, because browsers drop them
 * when CSS changes a table's layout.
 */
export function Cards<Row>({ label, rows, idOf, columns, chosen, onOpen }: CardsProps<Row>) {
  const { t } = useTranslation();
  const ids = new Set(chosen?.selection.rows.map(idOf));
  return (
    <table role="table" aria-label={label} className="cards">
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr
            key={idOf(row)}
            role="row"
            className="card"
            data-chosen={ids.has(idOf(row)) || undefined}
            style={onOpen && { cursor: "pointer" }}
            onClick={(event) => {
              if (!isOnControl(event)) onOpen?.(row);
            }}
          >
            {chosen !== undefined && (
              <td role="cell">
                <SelectionBox
                  name={t("list.select", { row: chosen.rowLabel(row) })}
                  checked={ids.has(idOf(row))}
                  disabled={chosen.disabled}
                  onChange={(checked) => {
                    const others = chosen.selection.rows.filter((other) => idOf(other) !== idOf(row));
                    chosen.selection.choose(checked ? [...others, row] : others);
                  }}
                />
              </td>
            )}
            {places.map((place) => (
              <Cells key={place} place={place} row={row} columns={columns} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The parts of a card, in reading order. */
const places = ["title", "badge", "line", "actions"] as const;

function Cells<Row>({
  place,
  row,
  columns,
}: {
  place: (typeof places)[number];
  row: Row;
  columns: readonly Column<Row>[];
}) {
  return columns
    .filter(({ card = "line" }) => card === place)
    .map(({ key, title, render }) => {
      const content = render(row);
      if (isNothing(content)) return null;
      return (
        <td key={key} role="cell" className={`card-${place}`}>
          {place === "line" && <span className="card-name">{title}</span>}
          <div>{content}</div>
        </td>
      );
    });
}

const isNothing = (content: ReactNode): boolean =>
  content === null || content === undefined || content === false || content === "";

/** Shows a checkbox large enough for a finger; its label is visible or for screen readers only. */
export function SelectionBox({
  name,
  visible = false,
  checked,
  indeterminate = false,
  disabled,
  onChange,
}: {
  name: string;
  visible?: boolean;
  checked: boolean;
  indeterminate?: boolean;
  disabled: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="card-box">
      <Checkbox
        size="md"
        aria-label={name}
        checked={checked}
        indeterminate={indeterminate}
        disabled={disabled}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />
      {visible && <span aria-hidden>{name}</span>}
    </label>
  );
}
