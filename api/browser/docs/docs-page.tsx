import type { Response } from "express";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Deps } from "../../contract/deps.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { sendConditional } from "../../http/respond.ts";
import { docsAssetPath } from "./docs-assets.ts";
import { docsPath, pagePath } from "./docs-path.ts";
import type { PageValues } from "./guide-values.ts";
import { searchLengthMax } from "./find-sections.ts";
import { guides, type Guide } from "./guides.ts";

export interface DocsPage {
  /** The page's path below `/docs`; the navigation marks its entry. */
  slug: string;
  title: string;
  /** Trusted HTML, which is not escaped. */
  html?: string;
  values: PageValues;
  /** The text in the search field. */
  searched?: string;
  /** Follows the HTML. */
  children?: Child;
  /** Elements to append to the page's `<head>`, such as style sheets and scripts. */
  head?: Child;
}

const groups = [
  { group: "build", name: "Build on it" },
  { group: "run", name: "Run it" },
] as const satisfies readonly { group: Guide["group"]; name: string }[];

/** Renders a page of the documentation in its frame. */
export function renderDocsPage(deps: Pick<Deps, "settings">, page: DocsPage): Buffer {
  const { slug, title, html, values, searched, children, head } = page;
  const pages = [...guides, { slug: "reference", name: "Reference", group: "build" }];
  /** Renders the links to all pages; `id` begins the IDs of the groups' names. */
  const groupsOf = (id: string) =>
    groups.map(({ group, name }) => (
      <>
        <p id={`${id}-${group}`}>{name}</p>
        <ul aria-labelledby={`${id}-${group}`}>
          {pages
            .filter((other) => other.group === group)
            .map((other) => (
              <li>
                <a
                  href={pagePath(deps, other.slug, values.query)}
                  aria-current={other.slug === slug ? "page" : undefined}
                >
                  {other.name}
                </a>
              </li>
            ))}
        </ul>
      </>
    ));
  const rendered: { toString(): string } = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Realmpass`}</title>
        <link rel="stylesheet" href={docsAssetPath(deps, "docs.css")} />
        <link rel="icon" href={docsAssetPath(deps, "icon.svg")} />
        {head}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <div class={slug === "reference" ? "frame reference" : "frame"}>
          <header>
            <span class="mark" aria-hidden="true">
              R
            </span>
            <span>Realmpass documentation</span>
            <form role="search" action={docsPath(deps, "/docs/search")}>
              {[...new URLSearchParams(values.query)].map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <input
                type="search"
                name="q"
                aria-label="Search the documentation"
                placeholder="Search"
                maxlength={searchLengthMax}
                value={searched}
              />
              <button>Search</button>
            </form>
            <a class="back" href={consoleAddress(deps, values)}>
              Back to the console
            </a>
          </header>
          <nav aria-label="Documentation">
            <div class="pages">{groupsOf("group")}</div>
            {/* The same groups in a closed list, for phones: an open list would push the page off the screen. */}
            <details>
              <summary>All pages</summary>
              {groupsOf("phone-group")}
            </details>
          </nav>
          <main id="content" tabindex={-1}>
            {html === undefined ? undefined : raw(html)}
            {children}
          </main>
        </div>
      </body>
    </html>
  );
  return Buffer.from(`<!doctype html>${rendered.toString()}`);
}

/** Returns the address of the console, or of the reader's application in the console if they came from there. */
function consoleAddress({ settings }: Pick<Deps, "settings">, { clientId }: PageValues): string {
  const { origin } = new URL(settings.authUrl);
  const path = pathOn({ settings }, clientId === undefined ? "/console" : `/console/applications/${clientId}`);
  return origin === new URL(settings.baseUrl).origin ? path : `${origin}${path}`;
}

/** Sends a page of the documentation. The page may load from and call only this service. */
export function sendDocsPage(deps: Pick<Deps, "settings">, response: Response, bytes: Buffer): void {
  response.setHeader("Content-Security-Policy", contentSecurityPolicy(deps));
  response.setHeader("Content-Language", "en");
  sendConditional(response, bytes, { type: "text/html; charset=utf-8" });
}

/**
 * Returns the page's Content-Security-Policy. The reference can send requests to the API and, if its address differs,
 * to the authorization server.
 */
function contentSecurityPolicy({ settings }: Pick<Deps, "settings">): string {
  const origins = [...new Set([settings.baseUrl, settings.authUrl].map((address) => new URL(address).origin))];
  const connect = origins.length > 1 ? ["'self'", ...origins] : ["'self'"];
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "script-src 'self'",
    `connect-src ${connect.join(" ")}`,
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
