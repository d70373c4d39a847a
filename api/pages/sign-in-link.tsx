import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";

export interface SignInLinkView {
  realm: PageRealm;
  /** The name of the user whom the link signs in. */
  person: string;
  hidden: Readonly<Record<string, string>>;
}

/** Asks the user who opened a sign-in link to press its button, which posts to the page's own address. */
export function sendSignInLink(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  { realm, person, hidden }: SignInLinkView,
): void {
  sendPage(page, {
    status: 200,
    realm,
    address: "?",
    say: (texts) => ({
      title: texts.signInLink.title,
      body: (
        <>
          <div class="account">
            <p>
              <span class="dim">{texts.signInLink.as}</span>
              <br />
              <strong class="name">{person}</strong>
            </p>
          </div>
          <p>{texts.signInLink.once}</p>
          <form method="post">
            {Object.entries(hidden).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <button>{texts.signInLink.submit}</button>
          </form>
        </>
      ),
    }),
  });
}
