import type { Child } from "hono/jsx";
import type { Language } from "../../../domain/words/language.ts";
import type { PageRealm } from "./page-realm.ts";
import type { Texts } from "./texts/texts.ts";

/** What is on a page within the common frame. */
export interface PageContent {
  status: number;
  /** Whose page it is. Default: the realm that the request was found to be about, while there is one. */
  realm?: PageRealm | undefined;
  /** The page in one language. */
  say: (texts: Texts, language: Language) => { title: string; body: Child; navigation?: Child };
  /**
   * The address that shows the page again, for its choice of language. Without one nothing can: the page then has its
   * words in the other languages as well.
   */
  address?: string;
  /** Its form leads on to another site, in the end: browsers would apply `form-action` to that. */
  leadsAway?: boolean;
  /** Default: one card. `wide`: room for several beside each other. `sheet`: what is printed, on one page of A5. */
  layout?: "wide" | "sheet";
  /** Has the browser ask again after so long (Refresh header: no script is needed). */
  refreshSeconds?: number | undefined;
}
