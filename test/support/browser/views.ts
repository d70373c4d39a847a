import { extent } from "../run/extent.ts";
import type { View } from "./browser.ts";

const all: readonly View[] = [
  { theme: "light", width: 1440, language: "en" },
  { theme: "dark", width: 390, language: "de" },
  { theme: "light", width: 390, language: "en" },
  { theme: "dark", width: 1440, language: "de" },
];

/**
 * The views in which pages are checked: each theme, each width and each language once; in a full run, each theme with
 * each width. A theme changes only colours, so two views show almost everything that four do.
 */
export const views: readonly View[] = all.slice(0, extent(all.length, 0.5));
