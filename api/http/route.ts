import type { IncomingMessage, ServerResponse } from "node:http";
import { Router, type Request, type RequestHandler, type Response } from "express";
import { ServiceError } from "../../domain/errors.ts";
import { takeLeftover } from "../../runtime/leftover.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { contextOf } from "./request-context.ts";

/** One request and its response, whether or not it passed through Express. */
export interface PlainExchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The client's address, as far as trusted proxies forward it. */
  address: string;
  limiter: RateLimiter;
}

/** One request and its response in Express. */
export interface Exchange extends PlainExchange {
  request: Request;
  response: Response;
}

/** The format of a path's errors. */
export interface ErrorFormat<Answered extends PlainExchange = Exchange> {
  /**
   * `problem`: the API's wrapper. `oauth`: RFC 6749. `scim`: RFC 7644. `page`: for people. `bytes`: the path's own
   * encoding, if it has one.
   */
  name: "problem" | "oauth" | "scim" | "page" | "bytes";
  /** Sends a thrown value as an error, {@link MethodNotAllowed} included. */
  send: (exchange: Answered, thrown: unknown) => Promise<void> | void;
}

/** A path with its methods, its limit and the format of its errors. */
export interface Route<Answered extends PlainExchange = Exchange> {
  /** In Express's syntax. */
  path: string | RegExp;
  /** The name in metrics and the log. Never a requested path: that may contain a token. */
  name: string;
  /**
   * The value of `Allow`, in this order. `handle` gets requests with all these methods except OPTIONS, which CORS
   * answers on cross-origin paths.
   */
  methods: readonly string[];
  /**
   * `address`: each request is counted before it is handled. `token`: `handle` counts once it knows the token's kind.
   */
  limit: "address" | "token";
  errors: ErrorFormat<Answered>;
  /** For a path that exists only for some values: returns false after responding as for an unknown address. */
  exists?: (exchange: Answered) => Promise<boolean>;
  /** Responds, or throws. */
  handle: (exchange: Answered) => Promise<void> | void;
}

/** Thrown for a path that exists, but not with this method. */
export class MethodNotAllowed extends ServiceError {
  readonly methods: readonly string[];
  constructor(methods: readonly string[]) {
    super("method_not_allowed");
    this.methods = methods;
  }
}

/** Mounts routes in this order. A request that matches no route is passed to the next handler. */
export function mountRoutes(routes: readonly Route[], limiter: RateLimiter): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of routes) router.all(route.path, serve(route, limiter));
  return router;
}

const serve =
  (route: Route, limiter: RateLimiter): RequestHandler =>
  (request, response) =>
    answerRoute(route, { request, response, limiter, address: request.ip ?? "" });

/**
 * Handles a request of the route's path: names it after the route, counts it if `limit` is `address`, and sends errors
 * in the route's format.
 */
export async function answerRoute<Answered extends PlainExchange>(
  { name, methods, limit, errors, exists, handle }: Route<Answered>,
  exchange: Answered,
): Promise<void> {
  const { request, response, limiter, address } = exchange;
  contextOf(response).route = name;
  try {
    if (limit === "address") await limiter.countPublic(response, address);
    if (exists !== undefined && !(await exists(exchange))) return;
    if (request.method === "OPTIONS" || !methods.includes(request.method ?? "")) {
      response.setHeader("Allow", methods.join(", "));
      throw new MethodNotAllowed(methods);
    }
    await handle(exchange);
  } catch (thrown) {
    if (!request.complete) await takeLeftover(request);
    await errors.send(exchange, thrown);
  }
}
