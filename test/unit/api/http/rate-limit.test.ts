import { createHash } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Response } from "express";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRateLimiter } from "../../../../api/http/rate-limit.ts";
import { ServiceError } from "../../../../domain/errors.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface Sent {
  admitted: boolean;
  /** Milliseconds since the test began. */
  at: number;
  retryAfter: number | undefined;
  headers: Record<string, unknown>;
}

/** Sends requests with one token as the API counts them: this many in each whole second, for this many seconds. */
async function send({ perSecond, seconds, limit }: { perSecond: number; seconds: number; limit: number }) {
  const limiter = createRateLimiter({ service: limit, user: 1, refused: 1, tokens: 1 });
  const hash = createHash("sha256").update("token").digest();
  const sent: Sent[] = [];
  for (let millisecond = 0; millisecond < seconds * 1_000; millisecond += 1) {
    const due = Math.floor(((millisecond + 1) * perSecond) / 1_000) - Math.floor((millisecond * perSecond) / 1_000);
    for (let request = 0; request < due; request += 1) {
      const response = new ServerResponse(new IncomingMessage(new Socket())) as Response;
      let retryAfter: number | undefined;
      try {
        limiter.refuseExhausted(response, hash);
        await limiter.countToken(response, { hash, limit: "service" });
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "too_many_requests") throw error;
        retryAfter = error.retryAfterSeconds;
      }
      const admitted = retryAfter === undefined;
      sent.push({ admitted, at: millisecond, retryAfter, headers: response.getHeaders() });
    }
    vi.advanceTimersByTime(1);
  }
  return sent;
}

test.each([
  ["just over its limit", 1_010],
  ["at twice its limit", 2_000],
  ["at its limit", 1_000],
])("a token %s is admitted up to the limit in each second", async (_, perSecond) => {
  const sent = await send({ perSecond, seconds: 4, limit: 1_000 });

  const admitted = Array.from({ length: 4 }, () => 0);
  for (const { at } of sent.filter((each) => each.admitted)) admitted[Math.floor(at / 1_000)]! += 1;
  expect(admitted).toEqual(Array<number>(4).fill(1_000));
});

test("a refusal states the seconds until the window ends, in the error and in X-Rate-Limit-Reset", async () => {
  const sent = await send({ perSecond: 1_010, seconds: 3, limit: 1_000 });
  const refused = sent.filter(({ admitted }) => !admitted);

  expect(refused.length).toBeGreaterThan(0);
  for (const { at, retryAfter, headers } of refused) {
    expect(retryAfter).toBe(Math.ceil((1_000 - (at % 1_000)) / 1_000));
    expect(headers).toMatchObject({
      "x-rate-limit-limit": 1_000,
      "x-rate-limit-remaining": 0,
      "x-rate-limit-reset": retryAfter,
    });
  }
});

test("a session gets access tokens up to the limit in a minute, however slowly it requests them; a service has no such limit", async () => {
  const limiter = createRateLimiter({ service: 1, user: 1, refused: 1, tokens: 30 });
  const issued = { session: [0, 0], service: [0, 0] };
  for (let second = 0; second < 120; second += 1) {
    for (const kind of ["session", "service"] as const) {
      const response = new ServerResponse(new IncomingMessage(new Socket())) as Response;
      await limiter.countIssued(response, { kind, id: "1" }).then(
        () => (issued[kind][Math.floor(second / 60)]! += 1),
        (error: unknown) => {
          expect(error).toMatchObject({ code: "too_many_requests" });
        },
      );
    }
    vi.advanceTimersByTime(1_000);
  }
  expect(issued).toEqual({ session: [30, 30], service: [60, 60] });
});
