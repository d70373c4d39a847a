import type { PageRequest } from "../../../pages/page-request.ts";
import { Hidden } from "../../../pages/parts/hidden.tsx";
import { sendSelfServicePage } from "./page.tsx";

/** Renders a short code, never broken across lines. */
export const ShortCode = ({ code }: { code: string }) => (
  <strong class="short-code" translate="no">
    {code}
  </strong>
);

/** Asks for a short code; shows a wrong code again for correction. */
export function sendShortCode(
  page: PageRequest,
  { wrong, hidden }: { wrong: string | undefined; hidden: Readonly<Record<string, string>> },
): void {
  sendSelfServicePage(page, {
    status: wrong === undefined ? 200 : 404,
    realm: undefined,
    say: ({ shortCode }) => ({
      title: shortCode.title,
      body: (
        <form class="card" method="post">
          {wrong !== undefined && (
            <p class="alert" role="alert" id="wrong-code">
              {shortCode.wrong}
            </p>
          )}
          <p>{shortCode.text}</p>
          <label for="code">{shortCode.label}</label>
          <input
            id="code"
            name="code"
            value={wrong ?? ""}
            required
            autofocus
            maxlength={40}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            placeholder="XXXX-XXXX"
            aria-invalid={wrong === undefined ? undefined : "true"}
            aria-describedby={wrong === undefined ? undefined : "wrong-code"}
          />
          <button>{shortCode.submit}</button>
          <Hidden fields={hidden} />
        </form>
      ),
    }),
  });
}
