import { createHmac } from "node:crypto";
import { isIPv6 } from "node:net";
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from "rate-limiter-flexible";
import type { Db } from "../../db/client.ts";
import * as attemptCounters from "../../db/queries/sign-in/attempt-counters.ts";
import { ServiceError } from "../../domain/errors.ts";
import { ownNetworkDays } from "../../domain/lifetimes.ts";
import { attemptLimitsByDefault, type AttemptLimit } from "../../domain/limits.ts";
import type { Log } from "../../runtime/log.ts";
import type { QueueBackend } from "../../runtime/queue/queues.ts";
import { openRedis } from "../../runtime/queue/redis.ts";
import { createSeldom } from "../../runtime/seldom.ts";
import type { MasterKeys } from "../../runtime/keys/master-key.ts";
import { subKey } from "../../runtime/keys/sub-key.ts";
import { createExhaustedKeys } from "../http/exhausted-keys.ts";

export type AttemptLimitSettings = Record<keyof typeof attemptLimitsByDefault, AttemptLimit>;

/** An attempt, counted before it is checked. */
export interface CountedAttempt {
  /** Refunds the attempt: it was right, or could not be checked. */
  refund(): Promise<void>;
}

/** A password, counted before it is checked. */
export interface CountedPassword<Found> extends CountedAttempt {
  found: Found;
  /** Refunds the attempt and remembers the network as one of the account's usual networks for two weeks. */
  succeed(): Promise<void>;
}

/** Counts wrong attempts for all processes together. Every method throws `too_many_requests` beyond a limit. */
export interface AttemptCounter {
  /**
   * Counts a password before it is checked: for this address, for this address at the account that `find` returns, and
   * for this account from any address. Once the account's limit is reached, only networks with a recent successful
   * sign-in are admitted: attempts from elsewhere do not lock users out of their usual networks. `find` is not called
   * for an address beyond its limit.
   */
  password<Found extends { account: string }>(attempt: PasswordAttempt<Found>): Promise<CountedPassword<Found>>;
  /** Counts a failed client authentication. */
  clientFailed(attempt: { clientId: string; address: string }): Promise<void>;
  /** Counts an unknown token of a guest account or of a hand-over's link. */
  tokenFailed(attempt: { address: string }): Promise<void>;
  /**
   * Counts a short code before it is looked up: for this address, and for all addresses together. The caller refunds
   * the attempt if the code is right.
   */
  shortCode(attempt: { address: string }): Promise<CountedAttempt>;
  close(): Promise<void>;
}

export interface PasswordAttempt<Found extends { account: string }> {
  realmId: string;
  /** As typed. */
  username: string;
  address: string;
  /** Finds the account of the name. `account` is the same for all spellings of a name, even if no account has it. */
  find: () => Promise<Found>;
}

export interface AttemptLimitsOptions {
  backend: QueueBackend;
  db: Db;
  /** The store holds only digests of what is counted, under a key derived from the master keys. */
  masterKeys: MasterKeys;
  log: Log;
  limits?: AttemptLimitSettings;
}

/**
 * Counts attempts in Redis if the queues use it, else in Postgres. While the store is unreachable, each process counts
 * separately: an outage neither allows unlimited attempts nor locks users out.
 */
export function createAttemptCounter({
  backend,
  db,
  masterKeys,
  log,
  limits = attemptLimitsByDefault,
}: AttemptLimitsOptions): AttemptCounter {
  const { storeOf, close } = openStore(backend, db, log);
  const digest = digestUnder(masterKeys);
  const counters = Object.fromEntries(
    Object.entries(limits).map(([name, { points, seconds }]) => {
      const options = { keyPrefix: `guesses:${name}`, points, duration: seconds };
      return [name, createCounter({ store: storeOf(options), memory: new RateLimiterMemory(options), log })];
    }),
  ) as Record<keyof AttemptLimitSettings, Counter>;
  const ownNetworks = createMarks({
    options: { keyPrefix: "guesses:ownNetworks", points: 1, duration: ownNetworkDays * 24 * 3_600 },
    storeOf,
    log,
  });

  return {
    async password({ realmId, username, address, find }) {
      const from = networkOf(address);
      const spelling = digest("password of spelling", realmId, username, from);
      counters.passwordOfUser.refuseExhausted(spelling);
      // The address counts first: an address beyond its limit adds no rows, whatever names it tries.
      const taken = [await counters.passwordsFromAddress.take(digest("passwords", from))];
      const refund = async (): Promise<void> => {
        await Promise.all(taken.map((one) => one.refund()));
      };
      try {
        const found = await find();
        const ofUser = await counters.passwordOfUser.take(digest("password", realmId, found.account, from), spelling);
        taken.push(ofUser);
        const network = digest("own network", realmId, found.account, from);
        try {
          taken.push(await counters.passwordsOfUser.take(digest("passwords of user", realmId, found.account)));
        } catch (error) {
          if (!isTooMany(error) || !(await ownNetworks.has(network))) throw error;
        }
        return {
          found,
          refund,
          async succeed() {
            await Promise.all([refund(), ownNetworks.add(network)]);
          },
        };
      } catch (error) {
        await refund();
        throw error;
      }
    },
    async clientFailed({ clientId, address }) {
      const from = networkOf(address);
      await counters.secretsFromAddress.take(digest("secrets", from));
      await counters.secretOfClient.take(digest("secret", clientId, from));
    },
    async tokenFailed({ address }) {
      await counters.tokensFromAddress.take(digest("tokens", networkOf(address)));
    },
    async shortCode({ address }) {
      const all = digest("short codes");
      counters.shortCodes.refuseExhausted(all);
      // The address counts first: an address beyond its limit does not use up the limit of all addresses.
      const ofAddress = await counters.tokensFromAddress.take(digest("tokens", networkOf(address)));
      try {
        const ofAll = await counters.shortCodes.take(all);
        return {
          async refund() {
            await Promise.all([ofAddress.refund(), ofAll.refund()]);
          },
        };
      } catch (error) {
        await ofAddress.refund();
        throw error;
      }
    },
    close,
  };
}

type LimiterOptions = ConstructorParameters<typeof RateLimiterMemory>[0];

/** How long Redis may take to respond before it counts as unreachable. */
const answerMsMax = 1_000;

function openStore(
  backend: QueueBackend,
  db: Db,
  log: Log,
): { storeOf: (options: LimiterOptions) => RateLimiterAbstract; close: () => Promise<void> } {
  if (backend.kind === "redis") {
    const onError = createSeldom((repeated) => {
      log.warn({ event: "attempt_limits.connection_lost", ...repeated }, "the connection for counting attempts failed");
    });
    const redis = openRedis(backend.url, "produce", onError, { answerMsMax });
    return {
      storeOf: (options) => new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true }),
      close() {
        redis.disconnect();
        return Promise.resolve();
      },
    };
  }
  const storeClient = attemptCounters.storeClient(db);
  const table = { tableName: "guesses", tableCreated: true, clearExpiredByTimeout: false };
  return {
    storeOf: (options) => new RateLimiterPostgres({ ...options, ...table, storeClient, storeType: "pool" }),
    close: () => Promise.resolve(),
  };
}

interface Counter {
  /** Throws if the key is known to be exhausted, without asking the store. */
  refuseExhausted(key: string): void;
  /**
   * Counts one attempt, or throws `too_many_requests` and leaves the count unchanged. Remembers an exhausted key under
   * its alias as well.
   */
  take(key: string, alias?: string): Promise<CountedAttempt>;
}

/** How long an exhausted key is refused without asking the store, so a flood of attempts does not reach the store. */
const exhaustedMs = 1_000;

function createCounter({
  store,
  memory,
  log,
}: {
  store: RateLimiterAbstract;
  memory: RateLimiterAbstract;
  log: Log;
}): Counter {
  const exhausted = createExhaustedKeys({ askAgainMs: exhaustedMs });

  const consume = async (key: string): Promise<{ by: RateLimiterAbstract; result: RateLimiterRes; taken: boolean }> => {
    const from = async (by: RateLimiterAbstract) => {
      try {
        return { by, result: await by.consume(key), taken: true };
      } catch (rejected) {
        if (rejected instanceof RateLimiterRes) return { by, result: rejected, taken: false };
        throw rejected;
      }
    };
    return from(store).catch((error: unknown) => {
      log.warn({ event: "attempt_limits.store_away", err: error }, "attempts are counted in this process only");
      return from(memory);
    });
  };

  const refuseExhausted = (key: string): void => {
    const msBeforeNext = exhausted.msLeft(key);
    if (msBeforeNext !== undefined) throw tooMany(msBeforeNext);
  };

  return {
    refuseExhausted,

    async take(key, alias = key) {
      refuseExhausted(key);
      const { by, result, taken } = await consume(key);
      const goodAt = performance.now() + result.msBeforeNext;
      let refunded = false;
      const attempt: CountedAttempt = {
        async refund() {
          // Refunds the attempt only once, and only within its own period: the next period's count does not include it.
          if (refunded || performance.now() > goodAt - 1_000) return;
          refunded = true;
          await by.reward(key).catch((error: unknown) => {
            log.warn(
              { event: "attempt_limits.store_away", err: error },
              "an attempt could not be refunded and stays counted",
            );
          });
        },
      };
      if (taken) return attempt;
      await attempt.refund();
      for (const each of [key, alias]) exhausted.add(each, goodAt - performance.now());
      throw tooMany(result.msBeforeNext);
    },
  };
}

/** Marks that last for some time, shared by all processes. */
interface Marks {
  add(key: string): Promise<void>;
  has(key: string): Promise<boolean>;
}

/** Creates marks. While the store is unreachable, each process sees only its own marks. */
function createMarks({
  options,
  storeOf,
  log,
}: {
  options: LimiterOptions;
  storeOf: (options: LimiterOptions) => RateLimiterAbstract;
  log: Log;
}): Marks {
  const [store, memory] = [storeOf(options), new RateLimiterMemory(options)];
  const atEither = <Result>(run: (at: RateLimiterAbstract) => Promise<Result>): Promise<Result> =>
    run(store).catch((error: unknown) => {
      log.warn(
        { event: "attempt_limits.store_away", err: error },
        "usual networks are remembered in this process only",
      );
      return run(memory);
    });
  return {
    async add(key) {
      await atEither((at) => at.set(key, 1, ownNetworkDays * 24 * 3_600));
    },
    async has(key) {
      return (await atEither((at) => at.get(key))) !== null;
    },
  };
}

/** Returns whether the error means that a limit is reached. */
export const isTooMany = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === "too_many_requests";

const tooMany = (msBeforeNext: number): ServiceError =>
  new ServiceError("too_many_requests", { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) });

/** Hashes names and addresses for the store: the digest reveals nothing without the key. */
function digestUnder(masterKeys: MasterKeys): (...parts: readonly string[]) => string {
  const key = subKey(masterKeys, "attemptCounter");
  return (...parts) => createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}

/**
 * Returns an IPv4 address, or the first half of an IPv6 address: all addresses with the same first half belong to one
 * network.
 */
function networkOf(address: string): string {
  const [unscoped = ""] = address.split("%");
  if (!isIPv6(unscoped)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(unscoped)?.[1];
  if (mapped !== undefined) return mapped;
  const canonical = new URL(`http://[${unscoped}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  return [...groups, ...Array<string>(missing).fill("0"), ...(tail ?? "").split(":")].slice(0, 4).join(":");
}
