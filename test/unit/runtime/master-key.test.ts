import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import {
  masterKeys,
  MasterKeyError,
  openUnderMasterKey,
  sealUnderMasterKey,
} from "../../../runtime/keys/master-key.ts";

const key = masterKeys(randomBytes(32).toString("base64url"));
const secret = Buffer.from("a secret");

test("sealed data can be opened, does not contain the secret, and differs each time", () => {
  const sealed = sealUnderMasterKey(key, secret, "table/1");
  expect(openUnderMasterKey(key, sealed, "table/1")).toEqual(secret);
  expect(sealUnderMasterKey(key, secret, "table/1")).not.toEqual(sealed);
  expect(sealed.includes(secret)).toBe(false);
});

test("sealed data does not open in another context, under another key, or after a change", () => {
  const sealed = sealUnderMasterKey(key, secret, "table/1");
  const other = masterKeys(randomBytes(32).toString("base64url"));
  expect(() => openUnderMasterKey(key, sealed, "table/2")).toThrow(MasterKeyError);
  expect(() => openUnderMasterKey(other, sealed, "table/1")).toThrow(MasterKeyError);
  for (let position = 0; position < sealed.length; position++) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8(altered.readUInt8(position) ^ 1, position);
    expect(() => openUnderMasterKey(key, altered, "table/1")).toThrow(MasterKeyError);
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => openUnderMasterKey(key, sealed.subarray(0, length), "table/1")).toThrow(MasterKeyError);
  }
});

test.each(["", "short", randomBytes(31).toString("base64url"), `${randomBytes(32).toString("base64url")},`])(
  "%j is not a master key",
  (text) => {
    expect(() => masterKeys(text)).toThrow(MasterKeyError);
  },
);

test("the first of several keys seals data, and each key opens data", () => {
  const [old, fresh] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
  const sealed = sealUnderMasterKey(masterKeys(old), secret, "table/1");
  const both = masterKeys(`${fresh},${old}`);
  expect(openUnderMasterKey(both, sealed, "table/1")).toEqual(secret);
  const again = sealUnderMasterKey(both, secret, "table/1");
  expect(openUnderMasterKey(masterKeys(fresh), again, "table/1")).toEqual(secret);
  expect(() => openUnderMasterKey(masterKeys(old), again, "table/1")).toThrow(MasterKeyError);
});
