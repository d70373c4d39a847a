import type { ExportedList } from "../../domain/audit/exported-lists.ts";
import { csvForPeople, type CsvColumn, type CsvReader } from "../../domain/csv.ts";
import { api, dataOf, idempotent } from "../api/api-client.ts";
import type { ListQuery } from "./list-state.ts";

/** One page of a list from the API. */
export interface ListAnswer<Row> {
  data: Row[];
  total: number;
}

export type LoadList<Row> = (query: ListQuery, signal: AbortSignal) => Promise<ListAnswer<Row>>;

const pageSize = 1_000;

/** Returns the whole list, filtered and sorted, as CSV for people, and the number of its rows. */
export async function exportCsv<Row>(
  load: LoadList<Row>,
  { columns, query, reader, signal, onProgress }: ExportOptions<Row>,
): Promise<{ file: Blob; rows: number }> {
  const { heading, line } = csvForPeople(columns, reader);
  const lines = [heading];
  for (let offset = 0, total = 1; offset < total; offset += pageSize) {
    const page = await load({ ...query, limit: pageSize, offset }, signal);
    total = page.total;
    for (const row of page.data) lines.push(line(row));
    onProgress(Math.min(offset + pageSize, total), total);
    if (page.data.length === 0) break;
  }
  return { file: new Blob(lines, { type: "text/csv;charset=utf-8" }), rows: lines.length - 1 };
}

interface ExportOptions<Row> {
  columns: readonly CsvColumn<Row>[];
  query: ListQuery;
  reader: CsvReader;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

/** Records the export of a list in the audit log. If this fails, the caller must not save the file. */
export const recordExport = ({
  list,
  rows,
  query: { search, filter = {} },
}: {
  list: ExportedList;
  rows: number;
  query: ListQuery;
}): Promise<unknown> =>
  dataOf(
    api.POST("/api/audit/list-exports", {
      params: { header: idempotent() },
      body: { list, rows, filter: { ...filter, ...(search !== undefined && { search }) } },
    }),
  );

/** Makes the browser download a file. */
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
