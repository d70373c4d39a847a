import { expect, test } from "vitest";
import { createLifecycle } from "../../../runtime/lifecycle.ts";
import { createLog } from "../../../runtime/log.ts";

const newLifecycle = () =>
  createLifecycle({ log: createLog({ process: "test", level: "silent" }), deadlineMs: 60_000 });

test("parts stop once, in the reverse order of starting", async () => {
  const lifecycle = newLifecycle();
  const stopped: string[] = [];
  for (const name of ["first", "second", "third"]) lifecycle.onStop(name, () => void stopped.push(name));
  await Promise.all([lifecycle.stop("a signal"), lifecycle.stop("another")]);
  expect(stopped).toEqual(["third", "second", "first"]);
});

test("other parts still stop after a part that does not stop cleanly", async () => {
  const lifecycle = newLifecycle();
  const stopped: string[] = [];
  lifecycle.onStop("first", () => void stopped.push("first"));
  lifecycle.onStop("second", () => Promise.reject(new Error("stuck")));
  await lifecycle.stop("a signal");
  expect(stopped).toEqual(["first"]);
});

test("a part started while the process stops is stopped immediately, and no further part is started", async () => {
  const lifecycle = newLifecycle();
  const stopped: string[] = [];
  expect(lifecycle.isStopping()).toBe(false);
  const stopping = lifecycle.stop("a signal");
  expect(lifecycle.isStopping()).toBe(true);
  expect(() => {
    lifecycle.onStop("late", () => void stopped.push("late"));
  }).toThrow("late was started while the process stops");
  expect(stopped).toEqual(["late"]);
  await stopping;
});
