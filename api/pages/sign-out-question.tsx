import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { withoutBidiControls } from "./without-bidi-controls.ts";
import { sendPage } from "./send-page.tsx";

export interface SignOutQuestionView {
  realm?: PageRealm | undefined;
  /** The application that asks to sign out; undefined if the request names no known application. */
  application?: { name: string } | undefined;
  /** The form's action and its hidden fields. */
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** Where users who stay signed in continue. */
  stay: string;
}

/** Asks whether to sign out: the request does not prove that the person's own application sent it. */
export function sendSignOutQuestion(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  { realm, application, action, hidden, stay }: SignOutQuestionView,
): void {
  sendPage(page, {
    status: 200,
    realm,
    say: (texts) => ({
      title: texts.signOutQuestion.title,
      body: (
        <>
          <p>
            {application === undefined
              ? texts.signOutQuestion.text
              : texts.signOutQuestion.ofApplication(withoutBidiControls(application.name))}
          </p>
          <form method="post" action={action}>
            {Object.entries(hidden).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <button>{texts.signOutQuestion.signOut}</button>
          </form>
          <a class="button quiet" href={stay}>
            {texts.signOutQuestion.stay}
          </a>
        </>
      ),
    }),
  });
}
