import type { IncomingMessage, ServerResponse } from "node:http";
import { Router, type Request, type RequestHandler, type Response } from "express";
import { ServiceError } from "../../domain/errors.ts";
import { takeLeftover } from "../../runtime/leftover.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { contextOf } from "./request-context.ts";

/** One request and its answer, whether or not Express has seen them. */
export interface PlainExchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The client's, as far as proxies that are trusted tell it. */
  address: string;
  limiter: RateLimiter;
}

/** One request and its answer. */
export interface Exchange extends PlainExchange {
  request: Request;
  response: Response;
}

/** How the failures of a path are told. */
export interface ErrorFormat<Answered extends PlainExchange = Exchange> {
  /** `problem`: the API's wrapper. `oauth`: RFC 6749. `page`: for people. `bytes`: an encoding of its own where it has one. */
  name: "problem" | "oauth" | "page" | "bytes";
  /** Answers what was thrown, {@link MethodNotAllowed} included. */
  send: (exchange: Answered, thrown: unknown) => Promise<void> | void;
}

/** A path with everything that it answers. */
export interface Route<Answered extends PlainExchange = Exchange> {
  /** As Express takes it. */
  path: string | RegExp;
  /** What metrics and the log call it. Never a path as it was requested: that may hold a token. */
  name: string;
  /** What `Allow` says, in this order. `handle` gets all of them but OPTIONS, which CORS answers where it is open to others. */
  methods: readonly string[];
  /** `address`: each request is counted before it is handled. `token`: `handle` counts, once it knows whose token it is. */
  limit: "address" | "token";
  errors: ErrorFormat<Answered>;
  /** Answers, or throws. */
  handle: (exchange: Answered) => Promise<void> | void;
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

const serve =
  (route: Route, limiter: RateLimiter): RequestHandler =>
  (request, response) =>
    answerRoute(route, { request, response, limiter, address: request.ip ?? "" });

/** Answers a request of the route's path: counted, under the route's name, failures in the route's format. */
export async function answerRoute<Answered extends PlainExchange>(
  { name, methods, limit, errors, handle }: Route<Answered>,
  exchange: Answered,
): Promise<void> {
  const { request, response, limiter, address } = exchange;
  contextOf(response).route = name;
  try {
    if (limit === "address") await limiter.countPublic(response, address);
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
