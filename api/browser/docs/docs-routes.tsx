import type { Deps } from "../../contract/deps.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { fileRoute } from "../../http/file-route.ts";
import type { Exchange, Route } from "../../http/route.ts";
import { docsAssetRoutes } from "./docs-assets.ts";
import { renderDocsPage, sendDocsPage } from "./docs-page.tsx";
import { docsPath } from "./docs-path.ts";
import { ErrorTable } from "./error-table.tsx";
import { guides, readGuide, type Guide } from "./guides.ts";
import { ListTable } from "./list-table.tsx";
import { renderMarkdown } from "./markdown.ts";
import { renderReference, renderSignedIn } from "./reference.tsx";

/** The documentation for developers, under `/docs`. Each page is made once. */
export function docsRoutes(deps: Pick<Deps, "settings">, endpoints: readonly Endpoint[]): Route[] {
  const page = (slug: string, make: () => Promise<Buffer> | Buffer): Route => {
    let made: Promise<Buffer> | undefined;
    const path = slug === "" ? "/docs" : `/docs/${slug}`;
    const send = async ({ response }: Exchange): Promise<void> => {
      sendDocsPage(deps, response, await (made ??= Promise.resolve(make())));
    };
    return fileRoute(`${path}{/}`, send, path);
  };
  return [
    ...docsAssetRoutes(),
    ...guides.map((guide) => page(guide.slug, () => renderGuide(deps, guide, endpoints))),
    page("reference", () => renderReference(deps)),
    page("signed-in", () => renderSignedIn(deps)),
  ];
}

/** What a guide shows below its text: tables made from the code that they describe. */
const appendices: Partial<Record<Guide["slug"], (endpoints: readonly Endpoint[]) => ReturnType<typeof ErrorTable>>> = {
  errors: () => <ErrorTable />,
  lists: (endpoints) => <ListTable endpoints={endpoints} />,
};

async function renderGuide(
  deps: Pick<Deps, "settings">,
  guide: Guide,
  endpoints: readonly Endpoint[],
): Promise<Buffer> {
  const text = atThisAddress(deps, await readGuide(guide));
  const { title, html } = renderMarkdown(text, (href) => linkTo(deps, href));
  return renderDocsPage(deps, { slug: guide.slug, title, html, children: appendices[guide.slug]?.(endpoints) });
}

/** Commands as they work with this service. In the text they are for the address where a service is by default. */
const atThisAddress = ({ settings }: Pick<Deps, "settings">, text: string): string =>
  text
    .replace(/http:\/\/localhost:3000(?=\/oauth\/|\/api\/guest-token\/)/g, () => settings.authUrl)
    .replaceAll("http://localhost:3000", () => settings.baseUrl);

/** Files refer to each other by their names; pages have none. */
function linkTo(deps: Pick<Deps, "settings">, href: string): string {
  if (href === "../openapi.json") return docsPath(deps, "/docs/reference");
  const [, file = "", anchor = ""] = /^([\w-]+\.md)(#.*)?$/.exec(href) ?? [];
  const guide = guides.find((one) => one.file === file);
  if (guide === undefined) return href;
  return docsPath(deps, `/docs${guide.slug === "" ? "" : `/${guide.slug}`}${anchor}`);
}
