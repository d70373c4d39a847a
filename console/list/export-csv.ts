import { csvLine } from "../../domain/csv.ts";
import type { Column } from "./columns.ts";
import type { ListQuery } from "./list-state.ts";

/** One page of a list as the API answers it. */
export interface ListAnswer<Row> {
  data: Row[];
  total: number;
}

export type LoadList<Row> = (query: ListQuery, signal: AbortSignal) => Promise<ListAnswer<Row>>;

const pageSize = 1_000;

/**
 * The whole list, as it is filtered and sorted, as CSV (RFC 4180) with a byte order mark, which spreadsheets look for.
 * Spreadsheets in German expect semicolons between cells.
 */
export async function exportCsv<Row>(
  load: LoadList<Row>,
  { columns, query, language, signal, onProgress }: ExportOptions<Row>,
): Promise<Blob> {
  const exported = columns.flatMap((column) => (column.text === undefined ? [] : [{ ...column, text: column.text }]));
  const separator = language === "de" ? ";" : ",";
  const lines = [
    csvLine(
      exported.map(({ title }) => title),
      separator,
    ),
  ];
  for (let offset = 0, total = 1; offset < total; offset += pageSize) {
    const page = await load({ ...query, limit: pageSize, offset }, signal);
    total = page.total;
    for (const row of page.data)
      lines.push(
        csvLine(
          exported.map(({ text }) => text(row)),
          separator,
        ),
      );
    onProgress(Math.min(offset + pageSize, total), total);
    if (page.data.length === 0) break;
  }
  return new Blob(["\ufeff", ...lines], { type: "text/csv;charset=utf-8" });
}

interface ExportOptions<Row> {
  columns: readonly Column<Row>[];
  query: ListQuery;
  language: string;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

/** Gives a file to the browser to keep. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
}
