import type { Log } from "../../runtime/log.ts";
import type { Deps } from "../contract/deps.ts";
import { asServiceError } from "../http/error-response.ts";
import { readForm } from "../http/form.ts";
import { parsePairs, queryOf } from "../http/query-string.ts";
import { contextOf } from "../http/request-context.ts";
import type { ErrorFormat, Route } from "../http/route.ts";
import type { PageRequest } from "./page-request.ts";
import { sendProblem, type Problem } from "./problem.tsx";

export type PageHandler = (page: PageRequest) => Promise<void> | void;

/** Returns a route for browsers, with errors as pages. HEAD is not offered: it would act like GET. */
export function pageRoute(deps: Deps, path: string, handlers: { get?: PageHandler; post?: PageHandler }): Route {
  return {
    path,
    name: path,
    methods: Object.keys(handlers).map((name) => name.toUpperCase()),
    limit: "address",
    errors: pageErrors(deps),
    async handle({ request, response }) {
      const isPost = request.method === "POST";
      const query = parsePairs(queryOf(request.originalUrl), { valueLengthMax: pageValueLengthMax });
      const form = isPost ? await readForm(request, { valueLengthMax: pageValueLengthMax }) : new Map<string, string>();
      await (isPost ? handlers.post : handlers.get)?.({ deps, request, response, query, form });
    },
  };
}

/** A page's address may contain another page's, with all its parameters. */
const pageValueLengthMax = 20_000;

const pageErrors = (deps: Deps): ErrorFormat => ({
  name: "page",
  send({ request, response }, thrown) {
    const { problem, retryAfterSeconds } = problemOf(thrown, contextOf(response).log);
    sendProblem({ deps, request, response }, problem, { retryAfterSeconds });
  },
});

function problemOf(thrown: unknown, log: () => Log): { problem: Problem; retryAfterSeconds?: number | undefined } {
  const { status, code, retryAfterSeconds } = asServiceError(thrown, log);
  if (code === "too_many_requests") return { problem: "too_many_requests", retryAfterSeconds };
  if (code === "method_not_allowed") return { problem: "method_not_allowed" };
  if (status < 500) return { problem: "bad_request" };
  return code === "unavailable" ? { problem: "unavailable", retryAfterSeconds } : { problem: "broken" };
}
