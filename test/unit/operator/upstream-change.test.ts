import { expect, test } from "vitest";
import { isOpenToAnybody } from "../../../operator/realm/upstream-change.ts";

const google = "https://accounts.google.com";
const mayUse = [{ claim: "hd", value: "uni.example" }];

test.each([
  [google, {}, true],
  [google, { mayUse: [] }, true],
  [google, { mayUse }, false],
  ["https://idp.uni.example", {}, false],
  [null, {}, false],
])("%s with %j: anybody can use the realm: %j", (upstreamIssuer, upstreamClaims, isOpen) => {
  expect(isOpenToAnybody({ upstreamIssuer, upstreamClaims })).toBe(isOpen);
});
