import type { ServerResponse } from "node:http";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ServiceError } from "../../domain/errors.ts";
import { createExhaustedKeys } from "./exhausted-keys.ts";

/** Limits in requests per second and key, except `tokens`. Each process counts separately. */
export interface RateLimits {
  /** Requests with one service token. */
  service: number;
  /** Requests with one user token or guest token. */
  user: number;
  /** 401 and 403 responses to one address. */
  refused: number;
  /**
   * Access tokens per minute for one session, certificate or guest account; a fifteenth of that per second. Services:
   * the same per second, but at least {@link serviceTokensMin}.
   */
  tokens: number;
}

/** Requests per second from one address on public paths. */
const publicPerSecond = 10_000;

const windowSeconds = 1;

/** The lowest limit of a service's access tokens per second. */
const serviceTokensMin = 100;

export interface RateLimiter {
  /** Counts a request with a token. Throws `too_many_requests` beyond the limit. */
  countToken(response: ServerResponse, token: { hash: Buffer; limit: "service" | "user" }): Promise<void>;
  /** Throws if the token is known to be over its limit, before any look-up of the token. */
  refuseExhausted(response: ServerResponse, tokenHash: Buffer): void;
  /**
   * Counts an access token that is about to be issued: per second for a service; per second and per minute for a
   * session, certificate or guest account. Throws `too_many_requests` beyond a limit.
   */
  countIssued(response: ServerResponse, holder: TokenHolder): Promise<void>;
  /** Counts a request on a public path. Throws `too_many_requests` beyond the limit. */
  countPublic(response: ServerResponse, address: string): Promise<void>;
  /** Counts a 401 or 403 response. Beyond the limit it returns the number of seconds until the window ends. */
  countRefusal(response: ServerResponse, address: string): Promise<number | undefined>;
}

/** The holder of access tokens. Ids are unique only within one kind. */
export interface TokenHolder {
  kind: "service" | "session" | "certificate" | "guest";
  id: string;
}

/**
 * Creates a limiter that counts requests per token, and issued tokens per holder. Only refusals and public paths are
 * counted per address, so a campus behind one address is not slowed down.
 */
export function createRateLimiter({ service, user, refused, tokens }: RateLimits): RateLimiter {
  const limiterOf = (points: number, duration = windowSeconds) => new RateLimiterMemory({ points, duration });
  const tokensPerSecond = Math.ceil(tokens / 15);
  const limiters = {
    service: limiterOf(service),
    user: limiterOf(user),
    refused: limiterOf(refused),
    public: limiterOf(publicPerSecond),
    tokensOfService: limiterOf(Math.max(serviceTokensMin, tokensPerSecond)),
    tokens: limiterOf(tokensPerSecond),
    tokensInMinute: limiterOf(tokens, 60),
  };
  const exhausted = { service: createExhaustedKeys(), user: createExhaustedKeys() };

  /** Counts one request. Beyond the limit it returns how many milliseconds remain of the window. */
  const count = async (
    response: ServerResponse,
    limiter: RateLimiterMemory,
    key: string,
  ): Promise<number | undefined> => {
    try {
      setHeaders(response, limiter.points, await limiter.consume(key));
      return undefined;
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      setHeaders(response, limiter.points, rejected);
      return rejected.msBeforeNext;
    }
  };

  return {
    async countToken(response, { hash, limit }) {
      const limiter = limiters[limit];
      const key = hash.toString("base64");
      const msBeforeNext = await count(response, limiter, key);
      if (msBeforeNext === undefined) return;
      exhausted[limit].add(key, msBeforeNext);
      throw tooMany(msBeforeNext);
    },

    refuseExhausted(response, tokenHash) {
      if (exhausted.service.isEmpty() && exhausted.user.isEmpty()) return;
      const key = tokenHash.toString("base64");
      for (const limit of ["service", "user"] as const) {
        const msBeforeNext = exhausted[limit].msLeft(key);
        if (msBeforeNext === undefined) continue;
        setHeaders(response, limiters[limit].points, { remainingPoints: 0, msBeforeNext });
        throw tooMany(msBeforeNext);
      }
    },

    async countIssued(response, { kind, id }) {
      const counted = kind === "service" ? [limiters.tokensOfService] : [limiters.tokens, limiters.tokensInMinute];
      for (const limiter of counted) {
        const msBeforeNext = await count(response, limiter, `${kind}:${id}`);
        if (msBeforeNext !== undefined) throw tooMany(msBeforeNext);
      }
    },

    async countPublic(response, address) {
      const msBeforeNext = await count(response, limiters.public, address);
      if (msBeforeNext !== undefined) throw tooMany(msBeforeNext);
    },

    async countRefusal(response, address) {
      const msBeforeNext = await count(response, limiters.refused, address);
      return msBeforeNext === undefined ? undefined : secondsOf(msBeforeNext);
    },
  };
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

const tooMany = (msBeforeNext: number): ServiceError =>
  new ServiceError("too_many_requests", { retryAfterSeconds: secondsOf(msBeforeNext) });

/** Sets the rate limit headers. `Reset` is in seconds from now. */
function setHeaders(
  response: ServerResponse,
  limit: number,
  { remainingPoints, msBeforeNext }: Pick<RateLimiterRes, "remainingPoints" | "msBeforeNext">,
): void {
  response.setHeader("X-Rate-Limit-Limit", limit);
  response.setHeader("X-Rate-Limit-Remaining", Math.max(0, remainingPoints));
  response.setHeader("X-Rate-Limit-Reset", secondsOf(msBeforeNext));
}
