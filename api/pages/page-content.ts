import type { Child } from "hono/jsx";
import type { Language } from "../../domain/words/language.ts";
import type { PageRealm } from "./page-realm.ts";
import type { Texts } from "./texts/texts.ts";

/** The content of a page within the common frame. */
export interface PageContent {
  status: number;
  /** The page's realm. Default: the one remembered for the request, if any. */
  realm?: PageRealm | undefined;
  /** Renders the page in one language. */
  say: (texts: Texts, language: Language) => { title: string; body: Child; navigation?: Child };
  /**
   * The address that shows the page again, for the language links. Without an address the page repeats its text in the
   * other languages.
   */
  address?: string;
  /** Set if the form ends in a redirect to another site: browsers would apply `form-action` to that site. */
  leadsAway?: boolean;
  /** Default: one card. `wide`: several cards side by side. `sheet`: for print, on one page of A5. */
  layout?: "wide" | "sheet";
  /** Makes the browser reload the page after this time (Refresh header: needs no script). */
  refreshSeconds?: number | undefined;
}
