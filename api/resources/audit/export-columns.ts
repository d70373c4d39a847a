import type { CsvColumn, CsvReader } from "../../../domain/csv.ts";
import { textsIn } from "../../../domain/words/language.ts";
import type { ExportedEntryView } from "../../contract/views/audit-entry-view.ts";

/**
 * The headings of the audit log's columns in a file for people. Bulk jobs never take one of these headings for a column
 * that identifies a person.
 */
const headingsIn = textsIn<Record<keyof ExportedEntryView, string>>({
  en: {
    id: "Entry",
    date: "Time",
    event: "Event",
    properties: "Details",
    realm: "Realm",
    user: "Acting person (internal number)",
    client: "Application",
    position: "Place in the chain",
    hash: "Hash",
  },
  de: {
    id: "Eintrag",
    date: "Zeit",
    event: "Ereignis",
    properties: "Einzelheiten",
    realm: "Realm",
    user: "Handelnde Person (interne Nummer)",
    client: "Anwendung",
    position: "Stelle in der Kette",
    hash: "Hash",
  },
});

/** Returns the audit log's columns for people: the same columns as for programs, under headings for people. */
export function columnsForPeople({ language }: Pick<CsvReader, "language">): CsvColumn<ExportedEntryView>[] {
  const headings = headingsIn(language);
  const columns = Object.keys(headings) as (keyof ExportedEntryView)[];
  return columns.map((column): CsvColumn<ExportedEntryView> => {
    const title = headings[column];
    return column === "date" ? { title, time: ({ date }) => date } : { title, text: (view) => view[column] };
  });
}
