import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { jobRowsMax } from "../../domain/limits.ts";
import { useApi } from "../support/service/api.ts";
import { extent } from "../support/run/extent.ts";
import { heldBytes } from "../support/run/memory.ts";

const api = useApi();

/**
 * A client in a separate process that makes its file while sending, so that only the service's memory grows in this
 * process.
 */
const client = `
  import { request } from "node:http";
  const [url, token, count, type] = process.argv.slice(1);
  const isTable = type.startsWith("text/csv");
  const isOne = type === "application/json";
  const sent = request(url, { method: "POST", headers: { authorization: "Bearer " + token, "content-type": type } }, (response) => {
    let text = "";
    response.on("data", (chunk) => (text += chunk)).on("end", () => console.log(response.statusCode + " " + text));
  });
  if (isTable) sent.write("Matrikel;Vorname;E-Mail\\r\\n");
  if (isOne) sent.write('{"users":[');
  for (let row = 0; row < Number(count); row += 500) {
    let lines = "";
    for (let each = row; each < row + 500; each++) {
      const person = { pairwiseID: "user-" + each + "@example.org", email: "u" + each + "@" + "x".repeat(200) + ".example" };
      if (isTable) lines += person.pairwiseID + ";J\\u00e4ger;" + person.email + "\\r\\n";
      else if (isOne) lines += (each === 0 ? "" : ",") + JSON.stringify(person);
      else lines += JSON.stringify(person) + "\\n";
    }
    if (!sent.write(Buffer.from(lines, type.includes("1252") ? "latin1" : "utf8"))) await new Promise((resolve) => sent.once("drain", resolve));
  }
  sent.end(isOne ? "]}" : "");
`;

const send = (token: string, count: number, type: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [
        ...["--input-type=module", "-e", client],
        ...[
          `${api.url}/api/jobs/onboarding?columns[Matrikel]=pairwiseID&unknownColumns=ignore`,
          token,
          String(count),
          type,
        ],
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    child.once("error", reject);
    child.once("close", () => {
      resolve(printed);
    });
  });

/** A quarter of the rows that a job may have: enough to show whether memory grows. */
const rows = jobRowsMax / 4;
/** The number of rows: as many as a job may have in a full run, otherwise a quarter of that. */
const most = extent(jobRowsMax, 0.25);

/** Returns the memory held, in megabytes. */
const held = (): number => Math.round(heldBytes() / 1024 / 1024);

test.each([
  ["application/x-ndjson", rows],
  ["application/json", rows],
  ["text/csv", most],
  ["text/csv; charset=windows-1252", rows],
])("large uploads are received as %s without being buffered: %d rows", { timeout: 600_000 }, async (type, count) => {
  const { clientId } = await api.given.application({ realmId: api.realmId });
  const token = await api.given.token({ realmId: api.realmId, clientId });
  await send(token, 10_000, type);

  const before = held();
  const during: number[] = [];
  const watch = setInterval(() => during.push(held() - before), 250);
  const printed = await send(token, count, type);
  clearInterval(watch);

  expect(printed).toMatch(/^202 /);
  expect(printed).toContain(`"total":${count}`);
  expect(during.length).toBeGreaterThan(4);
  // A full file has more than 50 MB, and a quarter of it 13 MB; parsed into objects, the rows would take several times
  // as much.
  expect(Math.max(...during), during.join(" ")).toBeLessThan(20);
});
