import { expect, test } from "vitest";
import { readPrefer, waitingTime } from "../../../../api/contract/prefer.ts";

test.each<[header: string | string[] | undefined, expected: object]>([
  [undefined, { respondAsync: false, waitSeconds: undefined }],
  ["", { respondAsync: false, waitSeconds: undefined }],
  ["respond-async", { respondAsync: true, waitSeconds: undefined }],
  ["Respond-Async, WAIT=5", { respondAsync: true, waitSeconds: 5 }],
  ["wait=5", { respondAsync: false, waitSeconds: 5 }],
  ['wait="7"', { respondAsync: false, waitSeconds: 7 }],
  ["wait = 7", { respondAsync: false, waitSeconds: 7 }],
  ["wait=3, wait=9", { respondAsync: false, waitSeconds: 3 }],
  [["wait=3", "respond-async"], { respondAsync: true, waitSeconds: 3 }],
  ["handling=lenient; foo=bar, wait=2", { respondAsync: false, waitSeconds: 2 }],
  ["wait=600", { respondAsync: false, waitSeconds: 60 }],
  ["wait=0", { respondAsync: false, waitSeconds: undefined }],
  ["wait=-1", { respondAsync: false, waitSeconds: undefined }],
  ["wait=soon", { respondAsync: false, waitSeconds: undefined }],
  ["wait", { respondAsync: false, waitSeconds: undefined }],
  ['x="respond-async, wait=4"', { respondAsync: false, waitSeconds: undefined }],
])("Prefer: %j is read", (header, expected) => {
  expect(readPrefer(header)).toEqual(expected);
});

// Quadratic time would exceed the time limit of a test.
test("a header of megabytes is read", () => {
  for (const header of [`a=${'";,='.repeat(500_000)}`, "a;".repeat(1_000_000), " ".repeat(2_000_000)]) {
    expect(() => readPrefer(header)).not.toThrow();
  }
});

test("the response names the preferences that were applied", () => {
  expect(waitingTime({ respondAsync: true, waitSeconds: 4 }, 20)).toEqual({
    seconds: 4,
    headers: { "Preference-Applied": "wait=4" },
  });
  expect(waitingTime({ respondAsync: true, waitSeconds: undefined }, 20)).toEqual({
    seconds: 0,
    headers: { "Preference-Applied": "respond-async" },
  });
  expect(waitingTime({ respondAsync: false, waitSeconds: undefined }, 20)).toEqual({ seconds: 20, headers: {} });
});
