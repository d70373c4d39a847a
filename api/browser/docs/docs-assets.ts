import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptsGzip } from "../../http/gzip.ts";
import type { Deps } from "../../contract/deps.ts";
import { icon } from "../../pages/parts/assets.ts";
import { fileRoute } from "../../http/file-route.ts";
import { sendConditional } from "../../http/respond.ts";
import type { Exchange, Route } from "../../http/route.ts";
import { copyScript } from "./copy-script.ts";
import { docsPath } from "./docs-path.ts";
import { docsStylesheet } from "./docs-stylesheet.ts";
import { keepResults } from "./kept-results.ts";
import { referenceScript } from "./reference-script.ts";
import { referenceStylesheet } from "./reference-stylesheet.ts";

interface Asset {
  type: string;
  read: () => Promise<Buffer>;
}

const textAsset = (type: string, text: string): Asset => ({ type, read: () => Promise.resolve(Buffer.from(text)) });

const require = createRequire(import.meta.url);

/** Returns the asset for a file of the installed Swagger UI. */
const swaggerAsset = (type: string, find: () => string): Asset => ({ type, read: () => readFile(find()) });

const css = "text/css; charset=utf-8";
const javascript = "text/javascript; charset=utf-8";

const assets = {
  "icon.svg": textAsset("image/svg+xml", icon),
  "docs.css": textAsset(css, docsStylesheet.trimStart()),
  "copy.js": textAsset(javascript, copyScript.trimStart()),
  "reference.css": textAsset(css, referenceStylesheet.trimStart()),
  "reference.js": textAsset(javascript, referenceScript.trimStart()),
  "swagger-ui.css": swaggerAsset(css, () => require.resolve("swagger-ui-dist/swagger-ui.css")),
  "swagger-ui-bundle.js": swaggerAsset(javascript, () => require.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
  "signed-in.js": swaggerAsset(javascript, () => require.resolve("swagger-ui-dist/oauth2-redirect.js")),
} as const satisfies Record<string, Asset>;

/** Returns the address of a file that the documentation's pages load. */
export const docsAssetPath = (deps: Pick<Deps, "settings">, name: keyof typeof assets): string =>
  docsPath(deps, `/docs/assets/${name}`);

/**
 * Serves the files of the documentation's pages, gzipped if the client accepts that. Each file is read at its first
 * request.
 */
export function docsAssetRoutes(): Route[] {
  const once = keepResults<Content>(Object.keys(assets).length);
  return Object.entries<Asset>(assets).map(([name, asset]) => {
    const send = async ({ request, response }: Exchange): Promise<void> => {
      const { plain, packed } = await once(name, () => contentOf(asset));
      response.setHeader("Vary", "Accept-Encoding");
      const takesPacked = acceptsGzip(request.get("Accept-Encoding") ?? "");
      if (takesPacked) response.setHeader("Content-Encoding", "gzip");
      sendConditional(response, takesPacked ? packed : plain, { type: asset.type });
    };
    return fileRoute(`/docs/assets/${name}`, send, "/docs/assets/:name");
  });
}

interface Content {
  plain: Buffer;
  packed: Buffer;
}

async function contentOf({ read }: Asset): Promise<Content> {
  const plain = await read();
  return { plain, packed: await promisify(gzip)(plain) };
}
