import { expect, test } from "vitest";
import { eachByItself, untilNone } from "../../../runtime/each-by-itself.ts";

test("every item is processed, and failures are thrown at the end", async () => {
  const done: number[] = [];
  const failing = (...at: number[]) =>
    eachByItself([1, 2, 3, 4], async (item) => {
      done.push(item);
      if (at.includes(item)) throw new Error(`no ${item}`);
      return Promise.resolve();
    });

  await failing();
  await expect(failing(2)).rejects.toThrow("no 2");
  await expect(failing(1, 3)).rejects.toMatchObject({ errors: [new Error("no 1"), new Error("no 3")] });
  expect(done).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
});

test("slices are processed until one is empty, and their sizes are added up", async () => {
  const slices = [5, 5, 2, 0, 7];
  expect(await untilNone(() => Promise.resolve(slices.shift() ?? 0))).toBe(12);
  expect(slices).toEqual([7]);
});
