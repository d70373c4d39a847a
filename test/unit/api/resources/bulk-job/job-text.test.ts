import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readInput } from "../../../../../api/resources/bulk-job/input/read-input.ts";
import type { Upload } from "../../../../../api/contract/endpoint.ts";
import { csvLine, csvSeparators } from "../../../../../domain/csv.ts";
import { everyText } from "../../../../support/browser/every-text.ts";

const names = Array.from({ length: 2_000 }, (_, index) => `${"😀".repeat(1 + (index % 7))}ß${index}@demo.example`);

test.each<[type: Upload["type"], text: string]>([
  ["text/csv", ["pairwiseID", ...names].join("\r\n")],
  ["application/x-ndjson", names.map((pairwiseID) => JSON.stringify({ pairwiseID })).join("\n")],
  ["application/json", JSON.stringify({ users: names.map((pairwiseID) => ({ pairwiseID })) })],
])("%s is read completely wherever its octets are cut", async (type, text) => {
  const octets = Buffer.from(text);
  const cuts = Array.from({ length: Math.ceil(octets.length / 8_191) }, (_, index) =>
    octets.subarray(index * 8_191, (index + 1) * 8_191),
  );
  const upload = { type, charset: undefined, bytes: Readable.from(cuts) as AsyncIterable<Buffer> };

  const input = await readInput("offboarding", upload, { columns: {}, ignoreUnknown: false, withoutHeader: false });

  expect(await idsIn(input)).toEqual(names);
});

test.each(csvSeparators)("a file that we wrote with the separator %j is read back unchanged", async (separator) => {
  const values = [...everyText(["=", "'", '"', ",", ";", "\t", "a"], 4)];
  const lines = values.map((value) => Buffer.from(csvLine([value, "mia@demo.example"], separator)));
  const header = Buffer.from(csvLine(["pairwiseID", "email"], separator));
  const bytes = Readable.from([header, ...lines]) as AsyncIterable<Buffer>;

  const input = await readInput(
    "onboarding",
    { type: "text/csv", charset: undefined, bytes },
    { columns: {}, ignoreUnknown: false, withoutHeader: false },
  );

  expect(await idsIn(input)).toEqual(values);
});

test("a value that the service wrote with a line break is reported as a fault, not read as an id", async () => {
  const line = csvLine(["mia\nida", "mia@demo.example"]);
  const bytes = Readable.from([Buffer.from(`pairwiseID,email\r\n${line}`)]) as AsyncIterable<Buffer>;
  const upload = { type: "text/csv", charset: undefined, bytes } as const;
  expect(
    await idsIn(await readInput("onboarding", upload, { columns: {}, ignoreUnknown: false, withoutHeader: false })),
  ).toEqual(["pairwiseID: holds 1 line break"]);
});

async function idsIn(input: Awaited<ReturnType<typeof readInput>>): Promise<unknown[]> {
  if ("matching" in input) throw new Error("a file with rows has no matching");
  const found: unknown[] = [];
  for await (const row of input.rows) found.push(row?.fault ?? row?.cells.get("pairwiseID"));
  return found;
}
