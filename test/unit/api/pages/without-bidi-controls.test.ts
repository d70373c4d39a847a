import { expect, test } from "vitest";
import { withoutBidiControls } from "../../../../api/pages/without-bidi-controls.ts";

test.each([
  ["Course planner", "Course planner"],
  ["\u202egnissap", "gnissap"],
  ["a\u2066b\u2069c\u200fd", "abcd"],
  ["مخطط الدورة", "مخطط الدورة"],
  ["👩‍💻 Zürich", "👩‍💻 Zürich"],
])("%j is shown as %j", (name, shown) => {
  expect(withoutBidiControls(name)).toBe(shown);
});
