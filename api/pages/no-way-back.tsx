import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";

export interface NoWayBackView {
  realm: PageRealm | undefined;
  /** The address that shows this page. */
  question: string;
  /** The sign-out form's action and its hidden fields. */
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** Where the user sets a password; undefined if this user cannot set one. */
  setPassword: string | undefined;
  /** Where users who stay signed in continue. */
  stay: string;
}

/** Warns a user who signs out and has no way to sign in again. */
export function sendNoWayBack(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  { realm, question, action, hidden, setPassword, stay }: NoWayBackView,
): void {
  sendPage(page, {
    status: 200,
    realm,
    address: question,
    say: ({ noWayBack: texts }) => ({
      title: texts.title,
      body: (
        <>
          <p>{texts.text}</p>
          {setPassword !== undefined && (
            <a class="button" href={setPassword}>
              {texts.setPassword}
            </a>
          )}
          <a class="button quiet" href={stay}>
            {texts.stay}
          </a>
          <form method="post" action={action}>
            {Object.entries(hidden).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <button class="quiet">{texts.signOut}</button>
          </form>
        </>
      ),
    }),
  });
}
