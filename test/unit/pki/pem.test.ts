import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { pem } from "../../../pki/pem.ts";

test.each([1, 47, 48, 49, 96, 97, 1000])(
  "%i octets are read back from the text, in lines of at most 64 characters",
  (length) => {
    const der = randomBytes(length);
    const lines = pem("CERTIFICATE", der).split("\n");
    const body = lines.slice(1, -2);

    expect(lines[0]).toBe("-----BEGIN CERTIFICATE-----");
    expect(lines.slice(-2)).toEqual(["-----END CERTIFICATE-----", ""]);
    expect(body.slice(0, -1).every((line) => line.length === 64)).toBe(true);
    expect(body.at(-1)?.length).toBeGreaterThan(0);
    expect(body.at(-1)?.length).toBeLessThanOrEqual(64);
    expect(Buffer.from(body.join(""), "base64")).toEqual(der);
  },
);

test("the label is written on both boundaries", () => {
  expect(pem("PRIVATE KEY", Buffer.from("abc"))).toBe("-----BEGIN PRIVATE KEY-----\nYWJj\n-----END PRIVATE KEY-----\n");
});

test("a view into a larger buffer is encoded without the other octets of the buffer", () => {
  expect(pem("X", new Uint8Array(Buffer.from("..abc..")).subarray(2, 5))).toBe(
    "-----BEGIN X-----\nYWJj\n-----END X-----\n",
  );
});
