import { Router, type Request, type RequestHandler, type Response } from "express";
import { ServiceError } from "../../domain/errors.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { contextOf } from "./request-context.ts";

/** One request and its answer. */
export interface Exchange {
  request: Request;
  response: Response;
  limiter: RateLimiter;
}

/** How the failures of a path are told. */
export interface ErrorFormat {
  /** `problem`: the API's wrapper. `oauth`: RFC 6749. `page`: for people. `bytes`: an encoding of its own where it has one. */
  name: "problem" | "oauth" | "page" | "bytes";
  /** Answers what was thrown, {@link MethodNotAllowed} included. */
  send: (exchange: Exchange, thrown: unknown) => Promise<void> | void;
}

/** A path with everything that it answers. */
export interface Route {
  /** As Express takes it. */
  path: string | RegExp;
  /** What metrics and the log call it. Never a path as it was requested: that may hold a token. */
  name: string;
  /** What `Allow` says, in this order. `handle` gets all of them but OPTIONS, which CORS answers where it is open to others. */
  methods: readonly string[];
  /** `address`: each request is counted before it is handled. `token`: `handle` counts, once it knows whose token it is. */
  limit: "address" | "token";
  errors: ErrorFormat;
  /** Answers, or throws. */
  handle: (exchange: Exchange) => Promise<void> | void;
}

/** The path exists, and the method does not. */
export class MethodNotAllowed extends ServiceError {
  readonly methods: readonly string[];
  constructor(methods: readonly string[]) {
    super("method_not_allowed");
    this.methods = methods;
  }
}

/** Mounts routes, the earlier before the later. What none of them matches is left to the next handler. */
export function mountRoutes(routes: readonly Route[], limiter: RateLimiter): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of routes) router.all(route.path, serve(route, limiter));
  return router;
}

function serve({ name, methods, limit, errors, handle }: Route, limiter: RateLimiter): RequestHandler {
  const allow = methods.join(", ");
  const handled = new Set(methods);
  handled.delete("OPTIONS");
  return async (request, response) => {
    contextOf(response).route = name;
    const exchange = { request, response, limiter };
    try {
      if (limit === "address") await limiter.countPublic(response, request.ip ?? "");
      if (!handled.has(request.method)) {
        response.setHeader("Allow", allow);
        throw new MethodNotAllowed(methods);
      }
      await handle(exchange);
    } catch (thrown) {
      await errors.send(exchange, thrown);
    }
  };
}
