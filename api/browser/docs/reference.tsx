import type { Deps } from "../../contract/deps.ts";
import { docsAssetPath } from "./docs-assets.ts";
import { docsPath } from "./docs-path.ts";
import { renderDocsPage } from "./docs-page.tsx";
import type { PageValues } from "./guide-values.ts";

/** Renders the reference: Swagger UI with our own document, from our own origin. */
export function renderReference(deps: Pick<Deps, "settings">, values: PageValues): Buffer {
  const document = docsPath(deps, "/openapi.json");
  return renderDocsPage(deps, {
    slug: "reference",
    title: "Reference",
    values,
    head: (
      <>
        <link rel="stylesheet" href={docsAssetPath(deps, "swagger-ui.css")} />
        <link rel="stylesheet" href={docsAssetPath(deps, "reference.css")} />
        <script src={docsAssetPath(deps, "swagger-ui-bundle.js")} defer />
        <script src={docsAssetPath(deps, "reference.js")} defer />
      </>
    ),
    children: (
      <>
        <h1>Reference</h1>
        <p>
          Every operation, from the service's own <a href={document}>OpenAPI document</a>. To try requests out as a
          person, use a useragent with the redirect address <code>{signedInAddress(deps)}</code>.
        </p>
        <noscript>
          <p>This page needs JavaScript. The document that it shows does not.</p>
        </noscript>
        <div id="reference" data-document={document} data-redirect={signedInAddress(deps)} />
      </>
    ),
  });
}

const signedInAddress = ({ settings }: Pick<Deps, "settings">): string => `${settings.baseUrl}/docs/signed-in`;

/** Renders the page that the reference's sign-in window returns to: it passes the code to its opener and closes. */
export const renderSignedIn = (deps: Pick<Deps, "settings">, values: PageValues): Buffer =>
  renderDocsPage(deps, {
    slug: "signed-in",
    title: "Signed in",
    values,
    head: <script src={docsAssetPath(deps, "signed-in.js")} defer />,
    children: (
      <>
        <h1>Signed in</h1>
        <p>You can close this window.</p>
      </>
    ),
  });
