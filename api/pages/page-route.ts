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

interface PageHandlers {
  /** Handles GET and HEAD for a page that changes nothing. */
  get?: PageHandler;
  /** Handles a GET that uses something up or begins something; the route then has no HEAD. */
  act?: PageHandler;
  post?: PageHandler;
}

/** Returns a route for browsers, with errors as pages. A pattern needs a name for metrics and the log. */
export function pageRoute(
  deps: Deps,
  path: string | { pattern: RegExp; name: string },
  { get, act, post }: PageHandlers,
): Route {
  const [pattern, name] = typeof path === "string" ? [path, path] : [path.pattern, path.name];
  return {
    path: pattern,
    name,
    methods: [
      ...(get === undefined ? [] : ["GET", "HEAD"]),
      ...(act === undefined ? [] : ["GET"]),
      ...(post === undefined ? [] : ["POST"]),
    ],
    limit: "address",
    errors: pageErrors(deps),
    async handle({ request, response }) {
      const isPost = request.method === "POST";
      const query = parsePairs(queryOf(request.originalUrl), { valueLengthMax: pageValueLengthMax });
      const form = isPost ? await readForm(request, { valueLengthMax: pageValueLengthMax }) : new Map<string, string>();
      await (isPost ? post : (get ?? act))?.({ deps, request, response, query, form });
    },
  };
}

/** A page's query can contain the address of another page, with all its parameters. */
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
