import type { CsvReader } from "../../domain/csv.ts";
import { currentLanguage } from "../texts/i18n.ts";
import { viewersZone } from "../ui/local-time.ts";

/** Whom files are for that this page hands out. */
export const viewer = (): CsvReader => ({ language: currentLanguage(), zone: viewersZone() });

/** How the service is told of it. */
export function viewerQuery(): { lang: string; zone: string } {
  const { language, zone } = viewer();
  return { lang: language, zone };
}
