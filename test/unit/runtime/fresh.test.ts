import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFresh, createFreshByKey } from "../../../runtime/fresh.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The event can be late on a busy machine. */
const patience = { timeout: 60_000 };

/** Makes computations that end when the test ends them. */
function controlled() {
  const running: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  return {
    compute: () => new Promise<string>((resolve, reject) => running.push({ resolve, reject })),
    started: () => running.length,
    end: (index: number, value: string) => {
      running[index]!.resolve(value);
    },
    fail: (index: number) => {
      running[index]!.reject(new Error("no"));
    },
  };
}

describe("one answer", () => {
  test("is shared by all callers during its computation, however long that takes", async () => {
    const { compute, started, end } = controlled();
    const fresh = createFresh(compute, { keptMs: 1_000 });

    const early = fresh.get();
    vi.advanceTimersByTime(5_000);
    const late = fresh.get();
    expect(started()).toBe(1);
    end(0, "a");
    expect(await Promise.all([early, late])).toEqual(["a", "a"]);
  });

  test("is kept until it is too old, counted from the start of its computation", async () => {
    const { compute, started, end } = controlled();
    const fresh = createFresh(compute, { keptMs: 1_000 });
    const first = fresh.get();
    vi.advanceTimersByTime(400);
    end(0, "a");
    await first;

    vi.advanceTimersByTime(599);
    expect(fresh.peek()).toBe("a");
    expect(await fresh.get()).toBe("a");
    expect(started()).toBe(1);

    vi.advanceTimersByTime(1);
    expect(fresh.peek()).toBeUndefined();
    const second = fresh.get();
    end(1, "b");
    expect(await second).toBe("b");
  });

  test("is not kept if it is already too old when its computation ends", async () => {
    const { compute, end } = controlled();
    const fresh = createFresh(compute, { keptMs: 0 });
    const answer = fresh.get();
    expect(fresh.isEmpty()).toBe(false);
    end(0, "a");
    expect(await answer).toBe("a");
    expect(fresh.isEmpty()).toBe(true);
  });

  test("that is ageing is computed again only once, and no caller waits for the computation", async () => {
    const { compute, started, end } = controlled();
    const fresh = createFresh(compute, { keptMs: 1_000, renewedAfterMs: 500 });
    const first = fresh.get();
    end(0, "a");
    await first;

    vi.advanceTimersByTime(500);
    expect(await Promise.all([fresh.get(), fresh.get()])).toEqual(["a", "a"]);
    expect(started()).toBe(2);
    end(1, "b");
    await vi.waitFor(() => {
      expect(fresh.peek()).toBe("b");
    }, patience);
  });

  test("whose renewal fails is kept until it is too old, and renewed at the next call", async () => {
    const { compute, started, end, fail } = controlled();
    const fresh = createFresh(compute, { keptMs: 1_000, renewedAfterMs: 500 });
    const first = fresh.get();
    end(0, "a");
    await first;

    vi.advanceTimersByTime(500);
    await fresh.get();
    fail(1);
    await vi.waitFor(async () => {
      expect(await fresh.get()).toBe("a");
      expect(started()).toBe(3);
    }, patience);
    vi.advanceTimersByTime(500);
    expect(fresh.peek()).toBeUndefined();
  });

  test("is not kept if its computation fails", async () => {
    const { compute, started, end, fail } = controlled();
    const fresh = createFresh(compute, { keptMs: 1_000 });
    const failing = Promise.all([fresh.get(), fresh.get()]);
    fail(0);
    await expect(failing).rejects.toThrow("no");

    const next = fresh.get();
    expect(started()).toBe(2);
    end(1, "a");
    expect(await next).toBe("a");
  });
});

describe("answers by key", () => {
  test("are kept separately for each key", async () => {
    const fresh = createFreshByKey<string>({ keptMs: 1_000 });
    expect(await fresh.get("a", () => Promise.resolve("of a"))).toBe("of a");
    expect(await fresh.get("b", () => Promise.resolve("of b"))).toBe("of b");
    expect(await fresh.get("a", () => Promise.resolve("another"))).toBe("of a");
    expect(fresh.peek("b")).toBe("of b");
    expect(fresh.peek("c")).toBeUndefined();
  });

  test("are computed again with the function of the caller that needs the new answer", async () => {
    const fresh = createFreshByKey<string>({ keptMs: 1_000, renewedAfterMs: 500 });
    await fresh.get("a", () => Promise.resolve("first"));
    vi.advanceTimersByTime(500);
    expect(await fresh.get("a", () => Promise.resolve("second"))).toBe("first");
    await vi.waitFor(() => {
      expect(fresh.peek("a")).toBe("second");
    });
  });

  test("are computed with the next caller's function once they are too old", async () => {
    const fresh = createFreshByKey<string>({ keptMs: 1_000 });
    await fresh.get("a", () => Promise.resolve("first"));
    vi.advanceTimersByTime(1_000);
    expect(await fresh.get("a", () => Promise.resolve("second"))).toBe("second");
  });
});
