import type { RequestHandler } from "express";
import type { Deps } from "./contract/deps.ts";
import { endpoints } from "./endpoints.ts";
import { oauthPaths } from "./oauth/openapi.ts";
import { createOpenApiDocument } from "./contract/openapi/openapi.ts";
import { contextOf } from "./http/request-context.ts";
import { sendJson } from "./http/respond.ts";

/** `GET /openapi.json`: the document as it is, not in the wrapper. */
export function serveOpenApiDocument({ settings }: Pick<Deps, "settings">): RequestHandler {
  let document: object | undefined;
  return (_, response) => {
    contextOf(response).route = "/openapi.json";
    document ??= createOpenApiDocument(endpoints, oauthPaths, settings);
    response.setHeader("Cache-Control", "public, max-age=300");
    sendJson(response, 200, document);
  };
}
