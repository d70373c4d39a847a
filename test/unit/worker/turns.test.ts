import { expect, test } from "vitest";
import { createTurns } from "../../../worker/turns.ts";

test("one thing at a time, in the order in which they came, whatever became of those before", async () => {
  const inTurn = createTurns();
  const seen: string[] = [];
  const work = (name: string, ms: number) => async () => {
    seen.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, ms));
    seen.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };

  const results = await Promise.allSettled([inTurn(work("a", 20)), inTurn(work("b", 1)), inTurn(work("c", 5))]);

  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(results).toMatchObject([{ value: "a" }, { reason: { message: "b failed" } }, { value: "c" }]);
});
