import { randomBytes } from "node:crypto";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { gzipParts } from "../../../../api/publication/gzip-parts.ts";
import { pemParts } from "../../../../api/publication/pem-parts.ts";
import { pem } from "../../../../pki/pem.ts";

const contents: [string, Buffer[]][] = [
  ["nothing", []],
  ["one octet", [Buffer.from([7])]],
  ["empty parts", [Buffer.alloc(0), Buffer.from("x"), Buffer.alloc(0)]],
  ["a line and its neighbours", [randomBytes(47), randomBytes(48), randomBytes(49)]],
  ["text", [Buffer.from("to be or not to be, ".repeat(500)), Buffer.from("that is the question".repeat(100))]],
  ["more than is encoded in one go", [randomBytes(500_000), randomBytes(3), randomBytes(900_001)]],
];

test.each(contents)("%s in parts is one gzip member", async (_, parts) => {
  const packed = Buffer.concat(await gzipParts(parts));
  expect(gunzipSync(packed).equals(Buffer.concat(parts))).toBe(true);
  // Unlike gunzip, this ends with the first member, whose header has ten octets.
  expect(inflateRawSync(packed.subarray(10)).equals(Buffer.concat(parts))).toBe(true);
});

test("a part is compressed once, whatever other parts it is combined with", async () => {
  const stays = Buffer.from("stays ".repeat(1_000));
  const [, , before] = await gzipParts([Buffer.from("1"), stays, Buffer.from("2")]);
  const [, , after] = await gzipParts([Buffer.from("3"), stays, Buffer.from("4")]);
  expect(after).toBe(before);
  expect(before?.length).toBeGreaterThan(0);
});

test.each(contents.slice(1))("%s in parts is the same PEM as in one piece", async (_, parts) => {
  const text = Buffer.concat(await pemParts("X509 CRL", parts)).toString("latin1");
  expect(text).toBe(pem("X509 CRL", Buffer.concat(parts)));
});
