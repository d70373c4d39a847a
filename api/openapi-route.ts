import type { Deps } from "./contract/deps.ts";
import { endpoints } from "./endpoints.ts";
import { oauthPaths } from "./oauth/openapi.ts";
import { createOpenApiDocument } from "./contract/openapi/openapi.ts";
import { fileRoute } from "./http/file-route.ts";
import { sendJson } from "./http/respond.ts";
import type { Route } from "./http/route.ts";

/** `GET /openapi.json`: the document itself, without the wrapper. */
export function openApiRoute({ settings }: Pick<Deps, "settings">): Route {
  let document: object | undefined;
  const send: Route["handle"] = ({ response }) => {
    document ??= createOpenApiDocument(endpoints, oauthPaths, settings);
    response.setHeader("Cache-Control", "public, max-age=300");
    sendJson(response, 200, document);
  };
  return { ...fileRoute("/openapi.json{/}", send, "/openapi.json"), methods: ["GET", "HEAD", "OPTIONS"] };
}
