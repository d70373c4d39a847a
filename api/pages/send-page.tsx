import type { Child } from "hono/jsx";
import type { RealmRow } from "../../db/queries/realms.ts";
import { setCookie } from "../sign-in/cookies.ts";
import { assetPath } from "./assets.ts";
import { chosenLanguage, languageOf, languageParameter, languages, type Language } from "./language.ts";
import type { PageRequest } from "./page-request.ts";
import { textsIn } from "./texts/texts-in.ts";
import type { Texts } from "./texts/texts.ts";

export interface PageContent {
  status: number;
  /** Whose page it is; undefined while that is not known. */
  realm?: Pick<RealmRow, "displayName"> | undefined;
  /** The page in one language. */
  say: (texts: Texts, language: Language) => { title: string; body: Child; navigation?: Child };
  /**
   * The address that shows the page again, for its choice of language. Without one nothing can: the page then has its
   * words in the other languages as well.
   */
  address?: string;
  /** Its form leads on to another site, in the end: browsers would apply `form-action` to that. */
  leadsAway?: boolean;
  /** Room for several cards beside each other, instead of one. */
  wide?: boolean;
  /** Has the browser ask again after so long (Refresh header: no script is needed). */
  refreshSeconds?: number | undefined;
}

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const languageRememberedSeconds = 365 * 24 * 60 * 60;

/** Sends a page in the common frame: in the reader's language, without scripts, kept by nobody. */
export function sendPage(page: Pick<PageRequest, "deps" | "request" | "response">, content: PageContent): void {
  const { deps, request, response } = page;
  const language = languageOf(page);
  if (chosenLanguage(request) !== undefined) {
    setCookie(deps, response, { name: "language", value: language, maxAgeSeconds: languageRememberedSeconds });
  }
  const html: { toString(): string } = <Frame deps={deps} language={language} content={content} />;
  const bytes = Buffer.from(`<!doctype html>${html.toString()}`);
  response.statusCode = content.status;
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("Content-Language", language);
  response.setHeader("Content-Length", bytes.length);
  response.setHeader("Cache-Control", "no-store");
  response.setHeader(
    "Content-Security-Policy",
    content.leadsAway === true ? contentSecurityPolicy : `${contentSecurityPolicy}; form-action 'self'`,
  );
  if (content.refreshSeconds !== undefined) response.setHeader("Refresh", String(content.refreshSeconds));
  response.end(bytes);
}

const productName = "Realmpass";

function Frame({ deps, language, content }: { deps: PageRequest["deps"]; language: Language; content: PageContent }) {
  const texts = textsIn(language);
  const { title, body, navigation } = content.say(texts, language);
  const owner = content.realm?.displayName ?? productName;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${owner}`}</title>
        <link rel="stylesheet" href={assetPath(deps, "stylesheet")} />
        <link rel="icon" href={assetPath(deps, "icon")} />
      </head>
      <body class={content.wide === true ? "wide" : undefined}>
        {navigation !== undefined && (
          <a class="skip" href="#main">
            {texts.skip}
          </a>
        )}
        <header>
          <span class="mark" aria-hidden="true">
            {(Array.from(owner)[0] ?? "").toUpperCase()}
          </span>
          <span>{owner}</span>
          {navigation}
        </header>
        <main id="main" tabindex={-1}>
          <h1>{title}</h1>
          {body}
        </main>
        <footer>
          {content.address === undefined ? (
            <InOtherLanguages language={language} content={content} />
          ) : (
            <OtherLanguages language={language} address={content.address} />
          )}
        </footer>
      </body>
    </html>
  );
}

const others = (language: Language): Language[] => languages.filter((other) => other !== language);

function OtherLanguages({ language, address }: { language: Language; address: string }) {
  return (
    <nav aria-label={textsIn(language).otherLanguage}>
      {others(language).map((other) => (
        <a href={withParameter(address, languageParameter, other)} lang={other} hreflang={other}>
          {textsIn(other).languageName}
        </a>
      ))}
    </nav>
  );
}

function InOtherLanguages({ language, content }: { language: Language; content: PageContent }) {
  return (
    <>
      {others(language).map((other) => {
        const { title, body } = content.say(textsIn(other), other);
        return (
          <details lang={other}>
            <summary>{textsIn(other).languageName}</summary>
            <div>
              <p class="title">{title}</p>
              {body}
            </div>
          </details>
        );
      })}
    </>
  );
}

const withParameter = (address: string, name: string, value: string): string =>
  `${address}${address.includes("?") ? (/[?&]$/.test(address) ? "" : "&") : "?"}${name}=${value}`;
