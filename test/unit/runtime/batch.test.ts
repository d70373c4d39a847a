import { expect, test, vi } from "vitest";
import { createBatcher } from "../../../runtime/queue/batch.ts";

/** The event can be late on a busy machine. */
const patience = { timeout: 60_000 };

/** Makes a run that ends when the test ends it, and records its input. */
function controlledRun() {
  const batches: string[][] = [];
  const endings: (() => void)[] = [];
  const run = async (items: readonly string[]): Promise<string[]> => {
    batches.push([...items]);
    await new Promise<void>((resolve) => endings.push(resolve));
    return items.map((item) => `${item} done`);
  };
  return {
    batches,
    run,
    endNext: async () => {
      await vi.waitFor(() => {
        expect(endings.length).toBeGreaterThan(0);
      }, patience);
      endings.shift()?.();
    },
  };
}

const begun = (batches: readonly unknown[], count: number) =>
  vi.waitFor(() => {
    expect(batches).toHaveLength(count);
  }, patience);

const patient = { itemsMax: 3, inFlightMax: 2, waitMsMax: 60_000 };

test("the size of each batch is reported when it begins", async () => {
  const { batches, run, endNext } = controlledRun();
  const sizes: number[] = [];
  const add = createBatcher(run, { ...patient, inFlightMax: 1, onBatch: (size) => sizes.push(size) });

  const outcomes = Promise.all(["a", "b", "c", "d"].map(add));
  await begun(batches, 1);
  expect(sizes).toEqual([3]);
  await endNext();
  await begun(batches, 2);
  expect(sizes).toEqual([3, 1]);
  await endNext();
  await outcomes;
});

test("a lone item starts immediately, together with other items of the same turn of the event loop", async () => {
  const { batches, run, endNext } = controlledRun();
  const add = createBatcher(run, patient);

  const outcomes = Promise.all([add("a"), add("b")]);
  await begun(batches, 1);
  await endNext();

  expect(batches).toEqual([["a", "b"]]);
  expect(await outcomes).toEqual(["a done", "b done"]);
});

test("items that arrive while a batch runs share the next batches, up to the limit", async () => {
  const { batches, run, endNext } = controlledRun();
  const add = createBatcher(run, patient);
  const first = add("a");
  await begun(batches, 1);
  const rest = Promise.all(["b", "c", "d", "e"].map(add));

  await endNext();
  await begun(batches, 2);
  await endNext();
  await begun(batches, 3);
  await endNext();

  await first;
  expect(await rest).toEqual(["b done", "c done", "d done", "e done"]);
  expect(batches).toEqual([["a"], ["b", "c", "d"], ["e"]]);
});

test("behind a slow batch an item waits no longer than allowed, unless as many batches run as allowed", async () => {
  const { batches, run, endNext } = controlledRun();
  const add = createBatcher(run, { ...patient, waitMsMax: 20 });
  const all = [add("slow")];
  await begun(batches, 1);
  all.push(add("b"));
  await begun(batches, 2);
  all.push(add("c"));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(batches).toEqual([["slow"], ["b"]]);

  await endNext();
  await begun(batches, 3);
  await endNext();
  await endNext();
  expect(await Promise.all(all)).toEqual(["slow done", "b done", "c done"]);
});

test("with no waiting time a second batch starts while the first one runs, and a third waits for a free place", async () => {
  const { batches, run, endNext } = controlledRun();
  const add = createBatcher(run, { ...patient, waitMsMax: 0 });
  const all = [add("a")];
  await begun(batches, 1);
  all.push(add("b"), add("c"));
  await begun(batches, 2);
  all.push(add("d"), add("e"));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(batches).toEqual([["a"], ["b", "c"]]);

  await endNext();
  await begun(batches, 3);
  await endNext();
  await endNext();
  expect(await Promise.all(all)).toEqual(["a done", "b done", "c done", "d done", "e done"]);
  expect(batches).toEqual([["a"], ["b", "c"], ["d", "e"]]);
});

test("the result of an item can be null", async () => {
  const add = createBatcher<string, null>((items) => Promise.resolve(items.map(() => null)), patient);
  expect(await add("a")).toBeNull();
});

test("a batch that fails makes only its own items fail", async () => {
  const add = createBatcher<string, string>(
    (items) => (items.includes("bad") ? Promise.reject(new Error("no")) : Promise.resolve([...items])),
    patient,
  );
  await expect(add("bad")).rejects.toThrow("no");
  expect(await add("good")).toBe("good");
});

test("an item for which its batch returns no result fails", async () => {
  const add = createBatcher<string, string>(() => Promise.resolve([]), patient);
  await expect(add("lost")).rejects.toThrow("one outcome for each");
});
