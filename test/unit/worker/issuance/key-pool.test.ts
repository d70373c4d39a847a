import { createPrivateKey, createPublicKey } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createRsaKeyMaker } from "../../../../worker/issuance/rsa-keys.ts";
import { createKeyPool, type KeyPool, type KeyPoolOptions } from "../../../../worker/issuance/key-pool.ts";

const pools: KeyPool[] = [];

function aPool(options: Partial<KeyPoolOptions> = {}): KeyPool {
  const pool = createKeyPool({ keyType: "rsa-2048", target: 3, isIdle: () => true, ...numbered(), ...options });
  pools.push(pool);
  return pool;
}

/** Makes a generator whose keys are numbered, from 1. */
function numbered() {
  let made = 0;
  const generate = vi.fn(() => {
    made++;
    return Promise.resolve({ privateKeyPkcs8: Buffer.alloc(4, made), publicKeySpki: Buffer.alloc(4, made) });
  });
  return { generate };
}

/** Makes a generator that finishes when the test ends it. */
function byHand() {
  const waiting: PromiseWithResolvers[] = [];
  const generate = vi.fn(
    () =>
      new Promise<{ privateKeyPkcs8: Buffer; publicKeySpki: Buffer }>((resolve, reject) => {
        waiting.push({ resolve, reject });
      }),
  );
  return { generate, waiting };
}
interface PromiseWithResolvers {
  resolve: (pair: { privateKeyPkcs8: Buffer; publicKeySpki: Buffer }) => void;
  reject: (error: Error) => void;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  const timersLeft = vi.isFakeTimers() ? vi.getTimerCount() : 0;
  vi.useRealTimers();
  expect(timersLeft).toBe(0);
});

const settle = () => vi.advanceTimersByTimeAsync(0);

describe("filling", () => {
  test("begins when the pool is started, and stops at the target", async () => {
    const { generate } = numbered();
    const pool = aPool({ generate });
    await settle();
    expect(pool.size).toBe(0);

    pool.start();
    await settle();

    expect(pool.size).toBe(3);
    expect(generate).toHaveBeenCalledTimes(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("makes one key at a time", async () => {
    const { generate, waiting } = byHand();
    const pool = aPool({ generate });
    pool.start();
    pool.start();
    pool.take();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(generate).toHaveBeenCalledTimes(1);

    waiting[0]?.resolve({ privateKeyPkcs8: Buffer.alloc(1), publicKeySpki: Buffer.alloc(1) });
    await settle();

    expect(pool.size).toBe(1);
    expect(generate).toHaveBeenCalledTimes(2);
    waiting[1]?.resolve({ privateKeyPkcs8: Buffer.alloc(1), publicKeySpki: Buffer.alloc(1) });
    waiting.length = 0;
    await settle();
    waiting[0]?.resolve({ privateKeyPkcs8: Buffer.alloc(1), publicKeySpki: Buffer.alloc(1) });
    await settle();
    expect(pool.size).toBe(3);
  });

  test("pauses while certificates are being signed, and continues within a tenth of a second", async () => {
    let idle = false;
    const { generate } = numbered();
    const pool = aPool({ generate, isIdle: () => idle });
    pool.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(generate).not.toHaveBeenCalled();

    idle = true;
    await vi.advanceTimersByTimeAsync(100);

    expect(pool.size).toBe(3);
  });

  test("asks before every key whether signing is idle, not only before the first", async () => {
    const { generate } = numbered();
    const pool = aPool({ generate, isIdle: () => generate.mock.calls.length < 2 });
    pool.start();
    await vi.advanceTimersByTimeAsync(10_000);

    expect(pool.size).toBe(2);
  });

  test("continues some time after a failure, which is logged", async () => {
    const warn = vi.fn();
    const { generate } = numbered();
    generate.mockRejectedValueOnce(new Error("no entropy"));
    const pool = aPool({ generate, log: { warn } });
    pool.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(generate).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ event: "key_pool.failed", err: new Error("no entropy") }),
      expect.any(String),
    );

    await vi.advanceTimersByTimeAsync(10_000);

    expect(pool.size).toBe(3);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test("continues after a generator or an isIdle that throws", async () => {
    const warn = vi.fn();
    let left = 2;
    const fails = (): boolean => {
      if (left-- > 0) throw new Error("not ready");
      return true;
    };
    const pool = aPool({ isIdle: fails, log: { warn } });
    pool.start();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(pool.size).toBe(3);
    expect(warn).toHaveBeenCalledTimes(2);
  });
});

describe("taking", () => {
  test("returns every key once, then undefined", async () => {
    const pool = aPool({
      isIdle: (() => {
        let asked = 0;
        return () => asked++ < 3;
      })(),
    });
    pool.start();
    await settle();

    const taken = [pool.take(), pool.take(), pool.take()].map((pair) => pair?.publicKeySpki[0]);

    expect(taken.toSorted()).toEqual([1, 2, 3]);
    expect(pool.take()).toBeUndefined();
    expect(pool.size).toBe(0);
  });

  test("makes room for another key", async () => {
    const pool = aPool();
    pool.start();
    await settle();
    pool.take();
    pool.take();
    expect(pool.size).toBe(1);

    await settle();

    expect(pool.size).toBe(3);
  });

  test("from a pool that was not started returns undefined and starts nothing", async () => {
    const { generate } = numbered();
    const pool = aPool({ generate });

    expect(pool.take()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(generate).not.toHaveBeenCalled();
  });
});

describe("closing", () => {
  test("wipes keys in the pool, and leaves keys that were handed out unchanged", async () => {
    const made: Buffer[] = [];
    const generate = () => {
      const privateKeyPkcs8 = Buffer.alloc(4, 0xee);
      made.push(privateKeyPkcs8);
      return Promise.resolve({ privateKeyPkcs8, publicKeySpki: Buffer.alloc(4) });
    };
    const pool = aPool({ generate, target: 4 });
    pool.start();
    await settle();
    expect(pool.size).toBe(4);
    const taken = pool.take()?.privateKeyPkcs8;

    await pool.close();

    expect(taken).toEqual(Buffer.alloc(4, 0xee));
    expect(made.filter((key) => key !== taken)).toEqual(Array.from({ length: made.length - 1 }, () => Buffer.alloc(4)));
    expect(pool.size).toBe(0);
    expect(pool.take()).toBeUndefined();
  });

  test("waits for a key that is being made, and wipes that key", async () => {
    const { generate, waiting } = byHand();
    const pool = aPool({ generate });
    pool.start();
    await settle();
    let closed = false;
    const closing = pool.close().then(() => (closed = true));
    await settle();
    expect(closed).toBe(false);

    const privateKeyPkcs8 = Buffer.alloc(4, 0xee);
    waiting[0]?.resolve({ privateKeyPkcs8, publicKeySpki: Buffer.alloc(4) });
    await closing;

    expect(privateKeyPkcs8).toEqual(Buffer.alloc(4));
    expect(pool.size).toBe(0);
    expect(generate).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["while busy", { isIdle: () => false }],
    ["after a failure", { generate: () => Promise.reject(new Error("no entropy")) }],
  ])("%s leaves no timer, and nothing starts afterwards", async (_when, options) => {
    const pool = aPool(options);
    pool.start();
    await settle();
    expect(vi.getTimerCount()).toBe(1);

    await pool.close();
    pool.start();
    await settle();

    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the thread that makes RSA keys", () => {
  beforeEach(() => void vi.useRealTimers());

  test("makes RSA-2048 keys whose halves belong together, without blocking", async () => {
    const maker = createRsaKeyMaker();
    const pool = createKeyPool({ keyType: "rsa-2048", target: 1, isIdle: () => true, generate: maker.make });
    let turns = 0;
    pool.start();
    while (pool.size === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    const pair = pool.take();
    const closing = pool.close();
    await maker.close();
    await closing;

    const der = pair?.privateKeyPkcs8 ?? Buffer.alloc(0);
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    expect(privateKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65537n });
    expect(createPublicKey(privateKey).export({ format: "der", type: "spki" })).toEqual(pair?.publicKeySpki);
    expect(turns).toBeGreaterThan(10);
  });

  test("ends without the key that it was making, and another thread replaces it", async () => {
    const maker = createRsaKeyMaker();
    const interrupted = expect(maker.make()).rejects.toThrow("has ended");
    await maker.close();
    await interrupted;

    expect((await maker.make()).publicKeySpki.length).toBeGreaterThan(250);
    await maker.close();
  });
});

test("a key that is not made because the pool closes is not logged as an error", async () => {
  const { generate, waiting } = byHand();
  const warn = vi.fn();
  const pool = aPool({ generate, log: { warn } });
  pool.start();
  const closing = pool.close();
  expect(waiting).toHaveLength(1);
  waiting[0]?.reject(new Error("the thread has ended"));
  await closing;

  expect(warn).not.toHaveBeenCalled();
});
