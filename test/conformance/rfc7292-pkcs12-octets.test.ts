import { X509Certificate, createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deviceTypes, type DeviceType } from "../../domain/certificate/device.ts";
import { encodePkcs12 } from "../../pki/pkcs12.ts";
import { emptyPassword, macVerifies, readDer } from "../support/pki/pkcs12-reader.ts";

describe("the two ways to write an empty password (RFC 7292 appendix B.1)", () => {
  const inputs = readFileSync(new URL("pinned/pkcs12-inputs.txt", import.meta.url), "utf8");
  const [privateKeyPkcs8, certificate, issuer] = [...inputs.matchAll(/-----BEGIN [A-Z ]+-----([^-]+)-----END/g)].map(
    ([, body = ""]) => Buffer.from(body, "base64"),
  ) as [Buffer, Buffer, Buffer];
  const countingUp = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => at));
  const encode = (deviceType: DeviceType | null): Buffer =>
    encodePkcs12(
      { deviceType, friendlyName: "Jürgen’s 📱 at example.org", privateKeyPkcs8, certificate, chain: [issuer] },
      countingUp,
    );

  /** Prints every octet of `der` in hexadecimal. Each line has a header and its short content, indented by depth. */
  function dump(der: Buffer, depth = 0): string {
    const indent = "  ".repeat(depth);
    const lines = readDer(der).map(({ tag, header, content }) => {
      const nested = (tag & 0x20) !== 0 || (tag === 0x04 && holdsDer(content));
      if (nested) return `${indent}${header.toString("hex")}\n${dump(content, depth + 1)}`;
      const wrapped = content.toString("hex").replace(/.{64}(?!$)/g, `$&\n${indent}     `);
      return `${indent}${header.toString("hex")} ${wrapped}\n`;
    });
    return lines.join("");
  }

  function holdsDer(content: Buffer): boolean {
    try {
      return content[0] === 0x30 && readDer(content).length === 1;
    } catch {
      return false;
    }
  }

  test.each([
    ["MacOS", "pkcs12-macos.txt"],
    ["iOS", "pkcs12-ios.txt"],
    ["iPadOS", "pkcs12-ios.txt"],
    ["Windows", "pkcs12-3des.txt"],
    ["Android", "pkcs12-3des.txt"],
    ["Other", "pkcs12-3des.txt"],
    [null, "pkcs12-3des.txt"],
    ["Linux", "pkcs12-aes256.txt"],
    ["ChromeOS", "pkcs12-aes256.txt"],
  ] as const)("for %s every octet of the file is pinned in %s", async (deviceType, pinned) => {
    const text = dump(encode(deviceType));

    expect(text.replace(/\s/g, "")).toBe(encode(deviceType).toString("hex"));
    await expect(text).toMatchFileSnapshot(`pinned/${pinned}`);
  });

  test.each([...deviceTypes, null])("for %s the file's MAC verifies with only one of the two ways", (deviceType) => {
    const right = deviceType === "MacOS" ? "zero-length" : "two-zero-octets";
    const wrong = deviceType === "MacOS" ? "two-zero-octets" : "zero-length";

    expect(macVerifies(encode(deviceType), emptyPassword[right])).toBe(true);
    expect(macVerifies(encode(deviceType), emptyPassword[wrong])).toBe(false);
  });

  test("the pinned key belongs to the pinned certificate", () => {
    const key = createPrivateKey({ key: privateKeyPkcs8, format: "der", type: "pkcs8" });

    expect(new X509Certificate(certificate).checkPrivateKey(key)).toBe(true);
  });
});
