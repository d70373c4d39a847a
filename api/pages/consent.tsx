import type { RealmRow } from "../../db/queries/realms.ts";
import type { Scope } from "../../domain/scopes.ts";
import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";

export interface ConsentView {
  application: { name: string; clientUri: string; redirectUri: string };
  realm: Pick<RealmRow, "displayName" | "logoUri">;
  /** Who is signed in, as they know themselves. */
  person: string;
  /** What is asked for; `isNew`: beyond what was allowed before, when anything was. */
  scopes: readonly { scope: Scope; isNew: boolean }[];
  /** Where the form posts to, and its hidden fields. */
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** Where to sign in as somebody else. */
  notYou: string;
}

/** Asks whether an application may act for the person: a form with the button `decision`, `allow` or `deny`. */
export function sendConsent(page: Pick<PageRequest, "deps" | "request" | "response">, view: ConsentView): void {
  sendPage(page, {
    status: 200,
    title: view.application.name,
    body: (
      <form method="post" action={view.action}>
        {Object.entries(view.hidden).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button name="decision" value="deny">
          Cancel
        </button>
        <button name="decision" value="allow">
          Allow
        </button>
      </form>
    ),
  });
}
