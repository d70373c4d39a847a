import { randomBytes } from "node:crypto";
import type { Response } from "express";
import { expect, test } from "vitest";
import type { Deps } from "../../../../api/contract/deps.ts";
import { formTokenFor, verifyFormToken } from "../../../../api/pages/form-token.ts";
import { handOverToken, tokenOfHandOver } from "../../../../api/resources/hand-over/hand-over-token.ts";
import { hashesOfShortCode, hashOfShortCode, shortCodeOf } from "../../../../api/resources/hand-over/short-code.ts";
import { masterKeys } from "../../../../runtime/keys/master-key.ts";
import { hashOfToken } from "../../../../runtime/keys/secret-token.ts";

const [old, fresh] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
const under = (keys: string) =>
  ({ masterKeys: masterKeys(keys), settings: { authUrl: "http://localhost:3000" } }) as unknown as Deps;

/** A request from a browser that already has this service's cookie, so no cookie is set. */
const visit = {
  request: { headers: { cookie: "realmpass-form=a-browser", origin: "http://localhost:3000" } },
  response: undefined as unknown as Response,
};

test("a form made under the earlier master key is accepted while that key is still the second key", () => {
  const both = under(`${fresh},${old}`);
  const token = formTokenFor(under(old), visit);
  expect(verifyFormToken(both, visit.request, token)).toBe(true);
  expect(verifyFormToken(under(fresh), visit.request, token)).toBe(false);
  expect(verifyFormToken(under(fresh), visit.request, formTokenFor(both, visit))).toBe(true);
});

test("a hand-over that was made under the earlier master key is shown with its original link", () => {
  const id = "0d5f7a8e-4f0e-4d3c-9c59-0c5e3b0b8a11";
  const token = handOverToken(under(old), id);
  const handOver = { id, tokenHash: hashOfToken(token) };
  expect(tokenOfHandOver(under(`${fresh},${old}`), handOver)).toBe(token);
  expect(handOverToken(under(`${fresh},${old}`), id)).not.toBe(token);
});

test("a hand-over that was made under the earlier master key is shown with its original code, and is found by that code", () => {
  const id = "0d5f7a8e-4f0e-4d3c-9c59-0c5e3b0b8a11";
  const [before, both] = [under(old), under(`${fresh},${old}`)];
  const code = shortCodeOf(before, { id, codeHash: null });
  const codeHash = hashOfShortCode(before, code);
  expect(shortCodeOf(both, { id, codeHash })).toBe(code);
  expect(hashesOfShortCode(both, code)).toContainEqual(codeHash);
  expect(hashesOfShortCode(under(fresh), code)).not.toContainEqual(codeHash);
  expect(shortCodeOf(both, { id, codeHash: null })).not.toBe(code);
});
