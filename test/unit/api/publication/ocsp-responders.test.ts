import { beforeEach, expect, test, vi } from "vitest";
import { createOcspResponders, type OcspResponders } from "../../../../api/publication/ocsp-responders.ts";
import type { Database } from "../../../../db/client.ts";

const [one, two] = ["http://one.example", "http://two.example"];
let responders: OcspResponders;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const query = () => Promise.resolve([{ ocspUrl: one }, { ocspUrl: two }]);
  responders = createOcspResponders({ db: { query } as unknown as Database });
  return () => vi.useRealTimers();
});

/** Returns the responder that each of the next six requests asks first. */
const firsts = async (): Promise<string[]> => {
  const asked: string[] = [];
  for (let request = 0; request < 6; request++) asked.push((await responders.list())[0]!);
  return asked;
};

test("the responders are asked in turn", async () => {
  const [first, second, ...others] = await firsts();
  expect([first, second].sort()).toEqual([one, two]);
  expect(others).toEqual([first, second, first, second]);
});

test("a silent responder is asked last, until one request tries that responder again", async () => {
  await responders.list();
  responders.silent(one);
  expect(await firsts()).toEqual([two, two, two, two, two, two]);
  expect(await responders.list()).toEqual([two, one]);

  vi.advanceTimersByTime(5_000);
  expect(await firsts()).toEqual([one, two, two, two, two, two]);
  responders.silent(one);
  expect(await firsts()).toEqual([two, two, two, two, two, two]);

  vi.advanceTimersByTime(5_000);
  expect((await responders.list())[0]).toBe(one);
  responders.answered(one);
  expect(new Set(await firsts())).toEqual(new Set([one, two]));
});
