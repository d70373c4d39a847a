import { minutesOf } from "./problem.tsx";
import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { sendPage } from "./send-page.tsx";
import type { Texts } from "./texts/texts.ts";

export interface SignInView {
  realm: PageRealm;
  /** Where to continue: at an application, or at our own pages. */
  destination: { name: string } | "console" | "devices";
  /** The browser was signed in, and the session has ended. */
  sessionEnded: boolean;
  /** The address that shows this page. */
  address: string;
  /** The form for a local account; undefined if the realm has no local sign-in. */
  local?: { action: string; hidden: Readonly<Record<string, string>>; username: string } | undefined;
  /** Where to sign in with the realm's identity provider, if it has one. */
  upstream?: string | undefined;
  refused?: SignInRefusal | undefined;
}

/** Why a sign-in failed. It never reveals whether the name or the password was wrong. */
export type SignInRefusal = { reason: "wrong" } | { reason: "too_many"; retryAfterSeconds: number };

/** Shows the sign-in form. */
export function sendSignIn(page: Pick<PageRequest, "deps" | "request" | "response">, view: SignInView): void {
  const { realm, destination, sessionEnded, address, local, upstream, refused } = view;
  if (refused?.reason === "too_many") page.response.setHeader("Retry-After", String(refused.retryAfterSeconds));
  sendPage(page, {
    status: refused === undefined ? 200 : refused.reason === "wrong" ? 400 : 429,
    realm,
    address,
    leadsAway: true,
    say: (texts) => ({
      title: texts.signIn.title,
      body: (
        <>
          {typeof destination === "object" ? (
            <p class="lead">
              {texts.signIn.toContinueTo} <strong class="name">{destination.name}</strong>
            </p>
          ) : (
            <p class="lead">{texts.signIn.to[destination]}</p>
          )}
          {sessionEnded && <p role="status">{texts.signIn.sessionEnded}</p>}
          {refused !== undefined && (
            <p class="alert" id="refused" role="alert" tabindex={-1} autofocus>
              {sentenceOf(refused, texts)}
            </p>
          )}
          {upstream !== undefined && (
            <a class="button" href={upstream}>
              {texts.signIn.campusAccount}
            </a>
          )}
          {upstream !== undefined && local !== undefined && <p class="or">{texts.signIn.or}</p>}
          {local !== undefined && (
            <LocalForm {...local} refused={refused} texts={texts} alone={upstream === undefined} />
          )}
        </>
      ),
    }),
  });
}

const sentenceOf = (refused: SignInRefusal, { signIn }: Texts): string =>
  refused.reason === "wrong" ? signIn.wrong : signIn.tooManyTries(minutesOf(refused.retryAfterSeconds));

interface LocalFormProps extends NonNullable<SignInView["local"]>, Pick<SignInView, "refused"> {
  texts: Texts;
  /** Whether this form is the realm's only way to sign in. */
  alone: boolean;
}

function LocalForm({ action, hidden, username, refused, texts, alone }: LocalFormProps) {
  const fault = {
    ...(refused === undefined ? {} : { "aria-describedby": "refused" }),
    ...(refused?.reason === "wrong" ? { "aria-invalid": "true" } : {}),
  };
  return (
    <form method="post" action={action}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label for="username">{texts.signIn.username}</label>
      <input
        id="username"
        name="username"
        type="text"
        value={username}
        required
        autocomplete="username"
        autocapitalize="none"
        autocorrect="off"
        spellcheck={false}
        autofocus={alone && refused === undefined}
        {...fault}
      />
      <label for="password">{texts.signIn.password}</label>
      <input id="password" name="password" type="password" required autocomplete="current-password" {...fault} />
      <button class={alone ? "" : "quiet"}>{texts.signIn.submit}</button>
    </form>
  );
}
