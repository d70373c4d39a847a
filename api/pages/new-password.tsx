import { passwordLengthMin } from "../../domain/limits.ts";
import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";

/** Why a password is not set; `differs`: the two entries differ. */
export type NewPasswordFault = "short" | "long" | "differs";

export interface NewPasswordView {
  realm: PageRealm | undefined;
  username: string;
  /** The form's action and its hidden fields. */
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** Where users who set no password continue. */
  later: string;
  fault?: NewPasswordFault | undefined;
}

/** Asks a user who was signed in by a link for a password. */
export function sendNewPassword(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  { realm, username, action, hidden, later, fault }: NewPasswordView,
): void {
  const described = fault === undefined ? {} : { "aria-describedby": "refused", "aria-invalid": "true" };
  sendPage(page, {
    status: fault === undefined ? 200 : 400,
    realm,
    address: action,
    say: ({ newPassword: texts }) => ({
      title: texts.title,
      body: (
        <>
          <p>{texts.why}</p>
          {fault !== undefined && (
            <p class="alert" id="refused" role="alert" tabindex={-1} autofocus>
              {fault === "short" ? texts.short(passwordLengthMin) : texts[fault]}
            </p>
          )}
          <form method="post" action={action}>
            {Object.entries(hidden).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <label for="username">{texts.username}</label>
            <input id="username" type="text" value={username} readonly autocomplete="username" />
            <label for="password">{texts.password(passwordLengthMin)}</label>
            <input id="password" name="password" type="password" required autocomplete="new-password" {...described} />
            <label for="repeated">{texts.repeated}</label>
            <input id="repeated" name="repeated" type="password" required autocomplete="new-password" {...described} />
            <button>{texts.submit}</button>
          </form>
          <a class="button quiet" href={later}>
            {texts.later}
          </a>
        </>
      ),
    }),
  });
}
