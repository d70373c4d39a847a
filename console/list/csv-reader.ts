import type { CsvReader } from "../../domain/csv.ts";
import { currentLanguage } from "../texts/i18n.ts";
import { readersZone } from "../session/local-time.ts";

/** Returns the language and time zone for the files that this page exports. */
export const viewer = (): CsvReader => ({ language: currentLanguage(), zone: readersZone() });

/** Returns the language and time zone as query parameters of the API. */
export function viewerQuery(): { lang: string; zone: string } {
  const { language, zone } = viewer();
  return { lang: language, zone };
}
