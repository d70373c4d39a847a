import type { Scope } from "../../domain/people/scopes.ts";
import { queryOf } from "../http/query-string.ts";
import { withoutLanguage } from "./language.ts";
import { Hidden } from "./parts/hidden.tsx";
import type { PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { withoutBidiControls } from "./without-bidi-controls.ts";
import { sendPage } from "./send-page.tsx";
import type { Texts } from "./texts/texts.ts";

export interface ConsentView {
  application: { name: string; clientUri: string; redirectUris: readonly string[] };
  /** The redirect URI to which this request sends the user back. */
  redirectUri: string;
  realm: PageRealm;
  /** The signed-in user's name, as they know it. */
  person: string;
  /** The requested scopes; `isNew` marks those beyond an earlier consent. */
  scopes: readonly { scope: Scope; isNew: boolean }[];
  /** The form's action and its hidden fields. */
  action: string;
  hidden: Readonly<Record<string, string>>;
  /** Where to sign in as another user. */
  notYou: string;
}

/** Asks the user for consent to an application: a form whose buttons send `decision` as `allow` or `deny`. */
export function sendConsent(page: Pick<PageRequest, "deps" | "request" | "response">, view: ConsentView): void {
  const { application, redirectUri, realm, person, scopes, action, hidden, notYou } = view;
  sendPage(page, {
    status: 200,
    realm,
    address: withoutLanguage(`?${queryOf(page.request.originalUrl)}`),
    leadsAway: true,
    say: (texts) => ({
      title: texts.consent.title(withoutBidiControls(application.name)),
      body: (
        <>
          <div class="account">
            <p>
              <span class="dim">{texts.consent.as}</span>
              <br />
              <strong class="name">{person}</strong>
            </p>
            <a class="link" href={notYou}>
              {texts.consent.notYou}
            </a>
          </div>
          <p id="scopes">{texts.consent.intro}</p>
          <ul class="scopes" aria-labelledby="scopes">
            {scopes.map(({ scope, isNew }) => (
              <li>
                <span>{capitalised(texts.scopes[scope])}</span>
                {isNew && <span class="badge">{texts.consent.isNew}</span>}
              </li>
            ))}
          </ul>
          <p>
            {texts.consent.returnTo} <span class="name">{placeOf(redirectUri, texts)}</span>
          </p>
          <OtherPlaces places={otherPlaces(view, texts)} texts={texts} />
          <p class="dim">{texts.consent.withdraw}</p>
          <form class="pair" method="post" action={action}>
            <Hidden fields={hidden} />
            <button class="quiet" name="decision" value="deny">
              {texts.consent.cancel}
            </button>
            <button name="decision" value="allow">
              {texts.consent.allow}
            </button>
          </form>
        </>
      ),
    }),
  });
}

/** Names the other places where the application may send the user back; the consent applies to these as well. */
function OtherPlaces({ places, texts }: { places: readonly string[]; texts: Texts }) {
  if (places.length === 0) return null;
  return (
    <p>
      {texts.consent.otherReturnsTo}{" "}
      {places.map((place, index) => (
        <>
          {index > 0 && ", "}
          <span class="name">{place}</span>
        </>
      ))}
    </p>
  );
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the redirect's target as users can recognise it: a host, or an app's own scheme. */
function placeOf(redirectUri: string, texts: Texts): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" || protocol === "http:" ? host : texts.consent.appOnDevice(protocol.slice(0, -1));
}

const otherPlaces = ({ application, redirectUri }: ConsentView, texts: Texts): string[] => {
  const here = placeOf(redirectUri, texts);
  return [...new Set(application.redirectUris.map((uri) => placeOf(uri, texts)))].filter((place) => place !== here);
};
