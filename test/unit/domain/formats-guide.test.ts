import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultKeyType, deviceTypes, type DeviceType } from "../../../domain/certificate/device.ts";
import { formatsFor } from "../../../domain/certificate/offered-formats.ts";

const keyNames = { "ec-p256": "P-256", "rsa-2048": "RSA 2048", "rsa-3072": "RSA 3072" } as const;

const inBackticks = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** Reads the rows of the guide's table, each for one or more device types. */
function readGuide(): { devices: string[]; key: string; formats: string[] }[] {
  const lines = readFileSync("docs/guides/formats.md", "utf8").split("\n");
  const from = lines.findIndex((line) => line.startsWith("| `deviceType` "));
  const rows = lines.slice(from + 2, lines.indexOf("", from));
  return rows.map((row) => {
    const [devices = "", key = "", take = "", also = ""] = row
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    return { devices: inBackticks(devices), key, formats: [...inBackticks(take), ...inBackticks(also)] };
  });
}

test("the guide to formats lists every device type once", () => {
  expect(
    readGuide()
      .flatMap(({ devices }) => devices)
      .sort(),
  ).toEqual([...deviceTypes].sort());
});

test("the guide to formats lists for each device type the key and the formats that people are offered, the best first", () => {
  const inGuide = readGuide().flatMap(({ devices, key, formats }) =>
    devices.map((device) => ({ device, key, formats })),
  );
  const known = inGuide.map(({ device }) => ({
    device,
    key: keyNames[defaultKeyType[device as DeviceType]],
    formats: formatsFor[device as DeviceType],
  }));
  expect(inGuide).toEqual(known);
});
