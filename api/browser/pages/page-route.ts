import { Router, type RequestHandler } from "express";
import type { Log } from "../../../runtime/log.ts";
import type { Deps } from "../../contract/deps.ts";
import { asServiceError } from "../../http/error-response.ts";
import { readForm } from "../../http/form.ts";
import { parsePairs, queryOf } from "../../http/query-string.ts";
import { contextOf } from "../../http/request-context.ts";
import type { PageRequest } from "./page-request.ts";
import { sendProblem, type Problem } from "./problem.tsx";

export type PageHandler = (page: PageRequest) => Promise<void> | void;

/** A path that browsers visit. Failures become pages; a method that is not offered is 405. HEAD is not offered: it would act. */
export function pageRoute(deps: Deps, path: string, handlers: { get?: PageHandler; post?: PageHandler }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const methods = Object.keys(handlers).map((name) => name.toUpperCase());
  const serve: RequestHandler = async (request, response) => {
    const context = contextOf(response);
    context.route = path;
    const page = { deps, request, response, query: new Map(), form: new Map() };
    try {
      const handler = request.method === "GET" ? handlers.get : request.method === "POST" ? handlers.post : undefined;
      if (handler === undefined) {
        response.setHeader("Allow", methods.join(", "));
        sendProblem(page, "method_not_allowed");
        return;
      }
      const query = parsePairs(queryOf(request.originalUrl), { valueLengthMax: pageValueLengthMax });
      const form =
        request.method === "POST"
          ? await readForm(request, { valueLengthMax: pageValueLengthMax })
          : new Map<string, string>();
      await handler({ ...page, query, form });
    } catch (thrown) {
      const { problem, retryAfterSeconds } = problemOf(thrown, context.log);
      sendProblem(page, problem, { retryAfterSeconds });
    }
  };
  router.all(path, serve);
  return router;
}

/** A page's address may carry that of another page with all its parameters. */
const pageValueLengthMax = 20_000;

function problemOf(thrown: unknown, log: () => Log): { problem: Problem; retryAfterSeconds?: number | undefined } {
  const { status, code, retryAfterSeconds } = asServiceError(thrown, log);
  if (code === "too_many_requests") return { problem: "too_many_requests", retryAfterSeconds };
  if (status < 500) return { problem: "bad_request" };
  return code === "unavailable" ? { problem: "unavailable", retryAfterSeconds } : { problem: "broken" };
}
