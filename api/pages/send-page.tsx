import { setCookie } from "./cookies.ts";
import { assetPath } from "./parts/assets.ts";
import type { Language } from "../../domain/words/language.ts";
import { chosenLanguage, languageOf } from "./language.ts";
import type { PageContent } from "./page-content.ts";
import { PageFooter } from "./parts/page-footer.tsx";
import { PageHeader } from "./parts/page-header.tsx";
import { rememberedRealm, type PageRealm } from "./page-realm.ts";
import type { PageRequest } from "./page-request.ts";
import { pageTexts } from "./texts/page-texts.ts";

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const languageRememberedSeconds = 365 * 24 * 60 * 60;

/** Sends a page in the common frame: in the reader's language, without scripts, never cached. */
export function sendPage(page: Pick<PageRequest, "deps" | "request" | "response">, content: PageContent): void {
  const { deps, request, response } = page;
  const language = languageOf(page);
  if (chosenLanguage(request) !== undefined) {
    setCookie(deps, response, { name: "language", value: language, maxAgeSeconds: languageRememberedSeconds });
  }
  const html: { toString(): string } = (
    <Frame deps={deps} language={language} realm={content.realm ?? rememberedRealm(page)} content={content} />
  );
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

interface FrameProps {
  deps: PageRequest["deps"];
  language: Language;
  realm: PageRealm | undefined;
  content: PageContent;
}

function Frame({ deps, language, realm, content }: FrameProps) {
  const texts = pageTexts(language);
  const { title, body, navigation } = content.say(texts, language);
  const owner = realm?.displayName ?? productName;
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
      <body class={content.layout}>
        {navigation !== undefined && (
          <a class="skip" href="#main">
            {texts.skip}
          </a>
        )}
        <PageHeader deps={deps} realm={realm} owner={owner}>
          {navigation}
        </PageHeader>
        <main id="main" tabindex={-1}>
          <h1>{title}</h1>
          {body}
        </main>
        <PageFooter language={language} realm={realm} content={content} />
      </body>
    </html>
  );
}
