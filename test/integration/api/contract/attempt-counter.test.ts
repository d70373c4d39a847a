import { createSecretKey, randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAttemptCounter, type AttemptCounter } from "../../../../api/contract/attempt-counter.ts";
import { attemptLimitsByDefault } from "../../../../domain/limits.ts";
import { sql } from "../../../../db/sql.ts";
import { ServiceError } from "../../../../domain/errors.ts";
import type { QueueBackend } from "../../../../runtime/queue/queues.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { freshRedisDatabase } from "../../../support/run/services.ts";
import { startTcpProxy, type TcpProxy } from "../../../support/run/tcp-proxy.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { backendFor, silentLog } from "../../../support/service/worker.ts";

const database = useDatabase();
const masterKeys = [createSecretKey(randomBytes(32))] as const;

const realmId = "1";
let addresses = 0;
const newAddress = (): string => `192.0.2.${++addresses}`;

/** Makes an attempt at the account whose name is the user name in lower case. */
const at = <Guess extends { username: string }>(guess: Guess) => ({
  ...guess,
  find: () => Promise.resolve({ account: guess.username.toLowerCase() }),
});

/** Returns the outcome of an attempt: "counted", or the seconds to wait. */
const outcomeOf = async (guess: Promise<unknown>): Promise<"counted" | number> => {
  try {
    await guess;
    return "counted";
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "too_many_requests") throw error;
    return error.retryAfterSeconds ?? Number.NaN;
  }
};

const times = (count: number, guess: (index: number) => Promise<unknown>): Promise<("counted" | number)[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => outcomeOf(guess(index))));

const counted = (outcomes: readonly ("counted" | number)[]): number =>
  outcomes.filter((outcome) => outcome === "counted").length;

/** Tests the promises of both stores, seen from two processes. */
function promises(backend: () => QueueBackend, stored: () => Promise<string[]>): void {
  let one: AttemptCounter;
  let other: AttemptCounter;
  const open = (): AttemptCounter =>
    createAttemptCounter({ backend: backend(), db: database.open("realmpass_api"), masterKeys, log: silentLog });
  beforeAll(async () => {
    [one, other] = [open(), open()];
    // A missing connection counts as an outage, so this waits until both processes count in the store.
    for (const guesses of [one, other]) {
      await eventually(async () => {
        const before = (await stored()).length;
        await guesses.tokenFailed({ address: newAddress() });
        expect((await stored()).length).toBeGreaterThan(before);
      });
    }
  });
  afterAll(() => Promise.all([one.close(), other.close()]));

  test("ten wrong passwords for a user from an address are checked, counted over all processes", async () => {
    const guess = { realmId, username: "ada", address: newAddress() };
    const outcomes = await times(30, (index) => (index % 2 === 0 ? one : other).password(at(guess)));
    expect(counted(outcomes)).toBe(10);
    for (const outcome of outcomes.filter((outcome) => outcome !== "counted")) {
      expect(outcome).toBeGreaterThan(890);
      expect(outcome).toBeLessThanOrEqual(900);
    }
    expect(await outcomeOf(other.password(at(guess)))).not.toBe("counted");
    expect(await outcomeOf(other.password(at({ ...guess, username: "ADA" })))).not.toBe("counted");
    expect(await outcomeOf(other.password(at({ ...guess, username: "grace" })))).toBe("counted");
    expect(await outcomeOf(other.password(at({ ...guess, realmId: "2" })))).toBe("counted");
    expect(await outcomeOf(other.password(at({ ...guess, address: newAddress() })))).toBe("counted");
  });

  test("of 10,000 short codes, each from another address, 300 are looked up, and right codes never count", async () => {
    const from = (index: number) => ({ address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` });
    for (let index = 0; index < 40; index++) await (await one.shortCode(from(0))).refund();
    const outcomes: ("counted" | number)[] = [];
    for (let batch = 0; batch < 100; batch++) {
      outcomes.push(
        ...(await times(100, (index) => (index % 2 === 0 ? one : other).shortCode(from(batch * 100 + index)))),
      );
    }
    expect(counted(outcomes)).toBe(300);
    expect(outcomes.slice(400)).not.toContain("counted");
  });

  test("1,000 concurrent guesses are checked only up to the limit", async () => {
    const guess = { realmId, username: "grace", address: newAddress() };
    expect(counted(await times(1_000, (index) => (index % 2 === 0 ? one : other).password(at(guess))))).toBe(10);
  });

  test("a hundred wrong passwords from an address are checked, for any users", async () => {
    const address = newAddress();
    const outcomes = await times(250, (index) =>
      (index % 2 === 0 ? one : other).password(at({ realmId, username: `user ${index % 50}`, address })),
    );
    expect(counted(outcomes)).toBe(100);
    expect(await outcomeOf(one.password(at({ realmId, username: "somebody else", address })))).toBeGreaterThan(0);
  });

  test("an address beyond its limit causes no user look-up", async () => {
    const address = newAddress();
    await times(100, (index) => one.password(at({ realmId, username: `user ${index % 50}`, address })));
    const find = () => Promise.reject(new Error("looked up"));
    expect(await outcomeOf(other.password({ realmId, username: "somebody", address, find }))).toBeGreaterThan(0);
  });

  test("a guess does not count if its user look-up fails", async () => {
    const address = newAddress();
    const find = () => Promise.reject(new Error("away"));
    for (let index = 0; index < 110; index++)
      await expect(one.password({ realmId, username: "ada", address, find })).rejects.toThrow("away");
    expect(await outcomeOf(one.password(at({ realmId, username: "ada", address })))).toBe("counted");
  });

  test("right passwords never count", async () => {
    const guess = { realmId, username: "joan", address: newAddress() };
    for (let index = 0; index < 30; index++) await (await (index % 2 === 0 ? one : other).password(at(guess))).refund();
    const outcomes = await times(12, () => one.password(at(guess)));
    expect(counted(outcomes)).toBe(10);
  });

  test("a right password refunds one guess and no more", async () => {
    const guess = { realmId, username: "mary", address: newAddress() };
    const right = await one.password(at(guess));
    await Promise.all([right.refund(), right.refund(), right.refund()]);
    await right.refund();
    expect(counted(await times(12, () => one.password(at(guess))))).toBe(10);
  });

  test("a hundred wrong passwords an hour are checked for a user, from any number of networks", async () => {
    const everywhere = (index: number) =>
      at({ realmId, username: "hopper", address: `2001:db8:7:${index.toString(16)}::1` });
    const outcomes = await times(150, (index) => (index % 2 === 0 ? one : other).password(everywhere(index)));
    expect(counted(outcomes)).toBe(100);
    for (const outcome of outcomes.filter((outcome) => outcome !== "counted")) {
      expect(outcome).toBeGreaterThan(3_500);
      expect(outcome).toBeLessThanOrEqual(3_600);
    }
    expect(await outcomeOf(one.password(at({ realmId, username: "somebody", address: newAddress() })))).toBe("counted");
    expect(await outcomeOf(one.password({ ...everywhere(200), realmId: "2" }))).toBe("counted");
  });

  test("guesses from elsewhere do not stop a user's sign-in from their usual network, which has a limit of its own", async () => {
    const home = { realmId, username: "noether", address: newAddress() };
    await (await one.password(at(home))).succeed();
    const elsewhere = (index: number) => at({ ...home, address: `2001:db8:8:${index.toString(16)}::1` });
    expect(counted(await times(120, (index) => one.password(elsewhere(index))))).toBe(100);
    expect(await outcomeOf(one.password(elsewhere(200)))).not.toBe("counted");
    // A refused attempt from elsewhere does not count, and the home network still has its own ten attempts.
    expect(counted(await times(12, () => other.password(at(home))))).toBe(10);
    const stranger = { ...home, username: "emmy" };
    expect(
      counted(
        await times(120, (index) =>
          one.password(at({ ...elsewhere(index), ...stranger, address: `2001:db8:9:${index.toString(16)}::1` })),
        ),
      ),
    ).toBe(100);
    expect(await outcomeOf(one.password(at(stranger))), "of another account").not.toBe("counted");
  });

  test("a guess that was never evaluated does not count", async () => {
    const guess = (index: number) => at({ realmId, username: "lise", address: `2001:db8:a:${index.toString(16)}::1` });
    for (let index = 0; index < 110; index++) await (await one.password(guess(index))).refund();
    expect(counted(await times(110, (index) => other.password(guess(index))))).toBe(100);
  });

  test("a refused guess does not count, so a crowd with right passwords gets in gradually", async () => {
    const address = newAddress();
    const crowd = Array.from({ length: 150 }, (_, index) => ({ realmId, username: `student ${index}`, address }));
    const answers = await Promise.allSettled(crowd.map((guess) => one.password(at(guess))));
    const right = answers.filter((answer) => answer.status === "fulfilled");
    expect(right).toHaveLength(100);
    await Promise.all(right.map(({ value }) => value.refund()));
    expect(
      counted(await times(100, (index) => other.password(at({ realmId, username: `user ${index}`, address })))),
    ).toBe(100);
  });

  test("twenty failures a minute are evaluated for a client and address", async () => {
    const guess = { clientId: "somebody", address: newAddress() };
    const outcomes = await times(40, (index) => (index % 2 === 0 ? one : other).clientFailed(guess));
    expect(counted(outcomes)).toBe(20);
    for (const outcome of outcomes.filter((outcome) => outcome !== "counted")) {
      expect(outcome).toBeGreaterThan(50);
      expect(outcome).toBeLessThanOrEqual(60);
    }
    expect(await outcomeOf(one.clientFailed({ ...guess, clientId: "another" }))).toBe("counted");
  });

  test("at most 200 failures a minute are evaluated for an address, over all clients", async () => {
    const address = newAddress();
    expect(counted(await times(300, (index) => one.clientFailed({ clientId: `client ${index}`, address })))).toBe(200);
  });

  test("at most thirty unknown guest tokens a minute are evaluated for an address", async () => {
    const address = newAddress();
    expect(counted(await times(50, (index) => (index % 2 === 0 ? one : other).tokenFailed({ address })))).toBe(30);
  });

  test("the addresses of one IPv6 network count as one, and a mapped IPv4 address as the IPv4 address", async () => {
    const inNetwork = (index: number): string => `2001:db8:1:2::${(index + 1).toString(16)}`;
    expect(counted(await times(50, (index) => one.tokenFailed({ address: inNetwork(index) })))).toBe(30);
    expect(await outcomeOf(one.tokenFailed({ address: "2001:0DB8:1:2:3:4:5:6" }))).not.toBe("counted");
    expect(await outcomeOf(one.tokenFailed({ address: "2001:db8:1:3::1" }))).toBe("counted");

    const address = newAddress();
    expect(counted(await times(50, () => one.tokenFailed({ address: `::ffff:${address}` })))).toBe(30);
    expect(await outcomeOf(one.tokenFailed({ address }))).not.toBe("counted");
  });

  test("any text counts as a user name, and the store contains neither names nor addresses in readable form", async () => {
    const address = "198.51.100.77";
    for (const username of ["", "\0", "__proto__", "x".repeat(5_000), "a\r\nb", "ünïcode 🦉", '"],["', "readable"]) {
      expect(await outcomeOf(one.password(at({ realmId, username, address })))).toBe("counted");
    }
    const keys = await stored();
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !/^guesses:\w+:[A-Za-z0-9_-]{43}$/.test(key))).toEqual([]);
  });
}

describe("in Postgres", () => {
  let backend: QueueBackend;
  let close: (() => Promise<void>) | undefined;
  beforeAll(() => {
    ({ backend, close } = backendFor("postgres", database.url));
  });
  afterAll(() => close?.());

  promises(
    () => backend,
    async () => (await database.owner.query<{ key: string }>(sql`select key from guesses`)).map(({ key }) => key),
  );
});

describeWithTool("redis", "in Redis", () => {
  const url = process.env["TEST_REDIS_URL"] === undefined ? "" : freshRedisDatabase();
  const redis = new Redis(url, { lazyConnect: true });
  afterAll(() => {
    redis.disconnect();
  });

  promises(
    () => ({ kind: "redis", url }),
    () => redis.keys("*"),
  );
});

describe("while the store is away", () => {
  const limits = { ...attemptLimitsByDefault, passwordOfUser: { points: 3, seconds: 900 } };

  test("each process limits guesses on its own if Postgres does not respond", async () => {
    const { backend, close } = backendFor("postgres", database.url);
    const db = { query: () => Promise.reject(new Error("away")) };
    const guesses = createAttemptCounter({ backend, db, masterKeys, log: silentLog, limits });
    const guess = { realmId, username: "ada", address: newAddress() };

    const right = await guesses.password(at(guess));
    await right.refund();
    expect(counted(await times(10, () => guesses.password(at(guess))))).toBe(3);
    expect(await outcomeOf(guesses.password(at(guess)))).toBeGreaterThan(890);
    await close();
  });

  describeWithTool("redis", "in Redis", () => {
    let proxy: TcpProxy;
    let url = "";
    beforeAll(async () => {
      const target = new URL(freshRedisDatabase());
      proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port || 6379) });
      target.host = `127.0.0.1:${proxy.port}`;
      url = target.href;
    });

    test.each(["cut", "silence"] as const)("attempts are still limited when Redis is away (%s)", async (fault) => {
      const guesses = createAttemptCounter({
        backend: { kind: "redis", url },
        db: database.open("realmpass_api"),
        masterKeys,
        log: silentLog,
        limits,
      });
      const guess = { realmId, username: "ada", address: newAddress() };
      await guesses.password(at({ ...guess, username: "before" }));
      await proxy[fault]();

      expect(counted(await times(10, () => guesses.password(at(guess))))).toBe(3);
      expect(await outcomeOf(guesses.password(at(guess)))).toBeGreaterThan(890);

      await proxy.restore();
      await guesses.close();
    });
  });
});
