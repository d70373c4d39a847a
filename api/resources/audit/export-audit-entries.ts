import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as chain from "../../../db/queries/audit/audit-seals.ts";
import type { SignedHead } from "../../../db/queries/audit/audit-seals.ts";
import type { Searching } from "../../../db/queries/finding/found.ts";
import { exportLine, type ExportedEntry } from "../../../domain/audit/export.ts";
import { searchLengthMax } from "../../../domain/limits.ts";
import { csvForPeople, csvLine, type CsvReader } from "../../../domain/csv.ts";
import { auditLogName } from "../../../domain/download-names.ts";
import { csvReaderOf, csvReaderQuery } from "../../contract/csv-reader.ts";
import { searchesOf } from "../../contract/list-search.ts";
import { actorOf } from "../../contract/principal.ts";
import { exported, Streamed } from "../../contract/stream.ts";
import { ExportedEntryView } from "../../contract/views/audit-entry-view.ts";
import { auditFilter } from "./audit-filter.ts";
import { columnsForPeople } from "./export-columns.ts";

export const exportAuditEntries = exported({
  operation: "exportAuditEntries",
  summary: "The audit log as a file",
  description:
    "Streamed, oldest first, in the order of the realm's chain. Without a filter the last line of NDJSON is the latest " +
    '`{"head": …}` of the chain, and `operator audit verify` can check the file.',
  path: "/api/audit/export",
  access: "staff",
  scope: "audit.read",
  filter: auditFilter,
  query: z.object({
    ...csvReaderQuery,
    search: z.string().max(searchLengthMax).optional().describe("As in the list."),
  }),
  types: { "application/x-ndjson": ExportedEntryView, "text/csv": ExportedEntryView },
  errors: [],

  async handle({ principal, filter, query, type, deps: { db, clock } }) {
    const { realmId } = principal;
    const { text, ...named } = filter;
    const searched = text ?? (query.search === "" ? undefined : query.search);
    const asCsv = type === "text/csv";
    await audit.record(db, {
      realmId,
      event: "audit_export",
      actor: actorOf(principal),
      at: clock.now(),
      // The search text is left out: it may be a person's name.
      properties: { format: asCsv ? "csv" : "ndjson", filter: named, ...(searched !== undefined && { search: "…" }) },
    });
    const head = await chain.latestHead(db, realmId);
    const search =
      searched === undefined
        ? undefined
        : { realmId, at: clock.now(), ...searchesOf("audit", principal), text: searched };
    const pages = pagesOf(db, { realmId, filter: named, search, head });
    return asCsv
      ? new Streamed("text/csv; charset=utf-8; header=present", auditLogName("csv"), csv(pages, csvReaderOf(query)))
      : new Streamed(
          "application/x-ndjson",
          auditLogName("ndjson"),
          ndjson(
            pages,
            Object.keys(named).length === 0 && searched === undefined ? { head: head?.signature ?? null } : undefined,
          ),
        );
  },
});

/** How many entries are read at once: few enough to hold in memory, many enough to be quick. */
const pageMax = 2_000;

interface Export {
  realmId: string;
  filter: Partial<audit.AuditFilter>;
  search: (Searching & { text: string }) | undefined;
  head: SignedHead | undefined;
}

/**
 * Yields the entries up to the head in the order of the chain, then the entries beyond it. The file is complete up to
 * its head even if the chain grows meanwhile. Holds no connection between two pages.
 */
async function* pagesOf(db: Db, { realmId, filter, search, head }: Export): AsyncGenerator<ExportedEntry[]> {
  const position = head?.position ?? 0;
  for (let after = 0; after < position; after += pageMax) {
    yield audit.sealedBetween(db, { realmId, filter, search, after, to: Math.min(after + pageMax, position) });
  }
  let afterId = "0";
  for (;;) {
    const ids = await audit.idsBeyond(db, { realmId, position, afterId, limit: pageMax });
    yield audit.unplaced(db, { realmId, filter, search, ids });
    const last = ids.at(-1);
    if (last === undefined || ids.length < pageMax) return;
    afterId = last;
  }
}

async function* ndjson(
  pages: AsyncIterable<ExportedEntry[]>,
  lastLine: { head: string | null } | undefined,
): AsyncGenerator<string> {
  for await (const page of pages) {
    if (page.length > 0) yield page.map((entry) => `${JSON.stringify(exportLine(entry))}\n`).join("");
  }
  if (lastLine !== undefined) yield `${JSON.stringify(lastLine)}\n`;
}

async function* csv(pages: AsyncIterable<ExportedEntry[]>, reader: CsvReader | undefined): AsyncGenerator<string> {
  const { heading, line } = reader === undefined ? csvForPrograms() : csvForPeople(columnsForPeople(reader), reader);
  yield heading;
  for await (const page of pages) {
    if (page.length > 0) yield page.map((entry) => line(exportLine(entry))).join("");
  }
}

function csvForPrograms(): { heading: string; line: (view: ExportedEntryView) => string } {
  const columns = Object.keys(ExportedEntryView.shape) as (keyof ExportedEntryView)[];
  return { heading: csvLine(columns), line: (view) => csvLine(columns.map((column) => view[column])) };
}
