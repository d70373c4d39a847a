import { posix } from "node:path";
import type { Deps } from "../../contract/deps.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { fileRoute } from "../../http/file-route.ts";
import { sendConditional } from "../../http/respond.ts";
import type { Exchange, Route } from "../../http/route.ts";
import { saveAs } from "../../http/save-as.ts";
import { docsAssetPath, docsAssetRoutes } from "./docs-assets.ts";
import { renderDocsPage, sendDocsPage } from "./docs-page.tsx";
import { docsPath, pagePath } from "./docs-path.ts";
import { ErrorTable } from "./error-table.tsx";
import { findSections, readSections, type Section } from "./find-sections.ts";
import { renderFound } from "./found-page.tsx";
import { findValues, withValues, type GuideValues } from "./guide-values.ts";
import { guides, readGuide, type Guide } from "./guides.ts";
import { keepResults } from "./kept-results.ts";
import { ListTable } from "./list-table.tsx";
import { renderMarkdown } from "./markdown.ts";
import { radiusPackageRoutes } from "./radius-package.ts";
import { packRadius, radiusArchives, type RadiusArchive } from "./radius-archive.ts";
import { renderReference, renderSignedIn } from "./reference.tsx";

type DocsDeps = Pick<Deps, "db" | "settings" | "clock">;

/** How many rendered pages and archives, each with the values of one realm, are cached. */
const keptMax = 200;

/** Returns the documentation's routes, under `/docs`. Each page is rendered once for each realm's values. */
export function docsRoutes(deps: DocsDeps, endpoints: readonly Endpoint[]): Route[] {
  const results = keepResults<Buffer>(keptMax);
  const once = (path: string, values: GuideValues, make: () => Promise<Buffer> | Buffer): Promise<Buffer> =>
    results(JSON.stringify([path, values]), make);
  const page = (slug: string, make: (values: GuideValues) => Promise<Buffer> | Buffer): Route => {
    const path = slug === "" ? "/docs" : `/docs/${slug}`;
    const send = async (exchange: Exchange): Promise<void> => {
      const values = await findValues(deps, exchange);
      sendDocsPage(deps, exchange.response, await once(path, values, () => make(values)));
    };
    return fileRoute(`${path}{/}`, send, path);
  };
  const archive = (name: RadiusArchive): Route => {
    const path = `/docs/radius/${name}.tar.gz`;
    const send = async (exchange: Exchange): Promise<void> => {
      const values = await findValues(deps, exchange);
      const bytes = await once(path, values, () => packRadius(name, (text) => withValues(deps, values, text)));
      saveAs(exchange.response, `${name}.tar.gz`);
      sendConditional(exchange.response, bytes, { type: "application/gzip" });
    };
    return fileRoute(path, send);
  };
  const sections = keepResults<Section[]>(1);
  const search = async (exchange: Exchange): Promise<void> => {
    const values = await findValues(deps, exchange);
    const searched = new URL(exchange.request.url, "http://localhost").searchParams.get("q") ?? "";
    const found = findSections(await sections("", () => readSections(endpoints)), searched);
    sendDocsPage(deps, exchange.response, renderFound(deps, { values, searched, found }));
  };
  return [
    ...docsAssetRoutes(),
    fileRoute("/docs/search{/}", search, "/docs/search"),
    ...guides.map((guide) => page(guide.slug, (values) => renderGuide(deps, { guide, endpoints, values }))),
    page("reference", (values) => renderReference(deps, values)),
    page("signed-in", (values) => renderSignedIn(deps, values)),
    ...(Object.keys(radiusArchives) as RadiusArchive[]).map(archive),
    ...radiusPackageRoutes(deps),
  ];
}

/** Tables below a guide's text, made from the code that they describe. */
const appendices: Partial<Record<Guide["slug"], (endpoints: readonly Endpoint[]) => ReturnType<typeof ErrorTable>>> = {
  errors: () => <ErrorTable />,
  lists: (endpoints) => <ListTable endpoints={endpoints} />,
};

async function renderGuide(
  deps: DocsDeps,
  { guide, endpoints, values }: { guide: Guide; endpoints: readonly Endpoint[]; values: GuideValues },
): Promise<Buffer> {
  const text = withValues(deps, values, await readGuide(guide));
  const { title, html } = renderMarkdown(text, (href) => linkTo(deps, { href, from: guide, query: values.query }));
  return renderDocsPage(deps, {
    slug: guide.slug,
    title,
    html,
    values,
    head: <script src={docsAssetPath(deps, "copy.js")} defer />,
    children: appendices[guide.slug]?.(endpoints),
  });
}

/** Converts links between files to links between pages. Returns undefined if the file is not served. */
function linkTo(
  deps: DocsDeps,
  { href, from, query }: { href: string; from: Guide; query: string },
): string | undefined {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const file = posix.join(posix.dirname(from.file), path);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (file === "docs/openapi.json") return docsPath(deps, `/docs/reference${query}`);
  const guide = guides.find((one) => one.file === file);
  if (guide !== undefined) return pagePath(deps, guide.slug, `${query}${hash}`);
  const [, folder = ""] = /^docs\/radius\/([a-z]+)(?:\/|$)/.exec(file) ?? [];
  return folder in radiusArchives ? docsPath(deps, `/docs/radius/${folder}.tar.gz${query}`) : undefined;
}
