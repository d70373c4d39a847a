import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runBlocks } from "../../support/run/shell-blocks.ts";
import { startWhole, type WholeService } from "../../support/service/whole-service.ts";

/** The drill of docs/operations.md, step by step as it stands there, against a service that was just started. */

const heading = "Replacing the issuing CA";
let service: WholeService;
let directory: string;

beforeAll(async () => {
  service = await startWhole();
  directory = await mkdtemp(join(tmpdir(), "realmpass-drill-"));
  await service.ready();
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Step {
  title: string;
  block: string;
  /** As the page has it; nothing where it says nothing. */
  prints: string;
}

async function readSteps(): Promise<Step[]> {
  const page = await readFile("docs/operations.md", "utf8");
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\*\*(\d+\. [^*]+)\*\*(.*?)(?=^\*\*)/gms)].map(([, title = "", body = ""]) => ({
    title,
    block: /^```sh\n(.*?)^```$/ms.exec(body)?.[1] ?? "",
    prints: /^```text\n(.*?)^```$/ms.exec(body)?.[1] ?? "",
  }));
}

const betweenSteps = "=== next step ===";

/** Whether something was printed as the page has it, where an ellipsis stands for anything on its line. */
const asPrinted = (prints: string): RegExp =>
  new RegExp(
    `^${prints
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".+")}$`,
  );

test("each step of the drill prints what the page says", async () => {
  const steps = await readSteps();
  expect(steps.map(({ title }) => Number.parseInt(title, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  for (const { title, block } of steps) expect(block, title).not.toBe("");

  const printed = await runBlocks(
    service,
    steps.map(({ block }) => `${block}\necho '${betweenSteps}'`),
    { directory, secondsMax: 110 },
  );

  const outputs = printed.split(`${betweenSteps}\n`);
  for (const [index, { title, prints }] of steps.entries()) expect(outputs[index], title).toMatch(asPrinted(prints));
}, 120_000);
