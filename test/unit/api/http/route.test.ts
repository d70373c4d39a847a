import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Request, Response } from "express";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRateLimiter } from "../../../../api/http/rate-limit.ts";
import { mountRoutes, type Exchange, type Route } from "../../../../api/http/route.ts";
import { ServiceError } from "../../../../domain/errors.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const limiter = createRateLimiter({ service: 1, user: 1, refused: 1, tokens: 1 });
const address = "192.0.2.1";

/** Sends one request to a route. Returns what was handled and what was thrown. */
async function send(method: string, overrides: Partial<Route> = {}) {
  const handled: string[] = [];
  const thrown: unknown[] = [];
  const route: Route = {
    path: "/thing/:id",
    name: "/thing/:id",
    methods: ["GET", "HEAD", "OPTIONS"],
    limit: "address",
    errors: { name: "problem", send: (_: Exchange, error: unknown) => void thrown.push(error) },
    handle: ({ request }) => void handled.push(request.method),
    ...overrides,
  };
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method,
    url: "/thing/1",
    ip: address,
    complete: true,
  }) as Request;
  const response = Object.assign(new ServerResponse(request), { locals: { context: {} } }) as unknown as Response;
  mountRoutes([route], limiter)(request, response, () => void thrown.push("passed on"));
  await vi.advanceTimersByTimeAsync(0);
  return { handled, thrown, allow: response.getHeader("Allow"), name: response.locals["context"].route as unknown };
}

test("a method of the route is handled, under the route's name", async () => {
  expect(await send("GET")).toEqual({ handled: ["GET"], thrown: [], allow: undefined, name: "/thing/:id" });
  expect((await send("HEAD")).handled).toEqual(["HEAD"]);
});

test("a method that the route does not have is not handled; OPTIONS is never handled, although Allow can name it", async () => {
  for (const method of ["POST", "OPTIONS", "PROPFIND"]) {
    const { handled, thrown, allow } = await send(method);
    expect([handled, allow]).toEqual([[], "GET, HEAD, OPTIONS"]);
    expect(thrown).toMatchObject([{ code: "method_not_allowed", methods: ["GET", "HEAD", "OPTIONS"] }]);
  }
});

test("an error of the handler is sent in the route's format", async () => {
  const error = new Error("broken");
  const handle = () => {
    throw error;
  };
  expect((await send("GET", { handle })).thrown).toEqual([error]);
  expect((await send("GET", { handle: () => Promise.reject(error) })).thrown).toEqual([error]);
});

test("a request beyond the limit of its address is not handled, but refused in the route's format", async () => {
  const response = new ServerResponse(new IncomingMessage(new Socket())) as Response;
  const exhaust = async (): Promise<void> => {
    for (;;) await limiter.countPublic(response, address);
  };
  await expect(exhaust()).rejects.toThrow(ServiceError);

  const { handled, thrown } = await send("GET");
  expect(handled).toEqual([]);
  expect(thrown).toMatchObject([{ code: "too_many_requests", retryAfterSeconds: 1 }]);
  // Requests to this route are counted separately, per token.
  expect((await send("GET", { limit: "token" })).handled).toEqual(["GET"]);
});
