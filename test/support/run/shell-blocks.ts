import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { WholeService } from "../service/whole-service.ts";

/** Returns the shell blocks of a Markdown file, or of one section of it, in order. */
export const shellBlocks = (file: string, heading?: string): Promise<string[]> => blocksOf("sh", file, heading);

/**
 * Returns, as shell blocks, the commands that root types at the prompts of one section, which only some readers need.
 */
export const promptBlocks = async (file: string, heading: string): Promise<string[]> =>
  (await blocksOf("console", file, heading)).map((block) => block.replace(/^# /gm, ""));

async function blocksOf(language: string, file: string, heading: string | undefined): Promise<string[]> {
  const text = await readFile(file, "utf8");
  const part = heading === undefined ? text : text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`));
  return [...(part ?? "").matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, block]) => block ?? "",
  );
}

/**
 * Replaces what differs here from a reader's machine: the port, the data directory, and the commands, which run in
 * another working directory.
 */
export const asHere = (service: WholeService, script: string): string =>
  script
    .replaceAll("npm run --silent operator --", operatorCommand)
    .replaceAll("npx realmpass", clientCommand)
    .replaceAll("localhost:3000", new URL(service.url).host)
    .replaceAll("data/ceremony", `"${service.data}"/ceremony`);

const operatorCommand = `"${process.execPath}" "${resolve("dist/operator/main.js")}"`;
const clientCommand = `"${process.execPath}" "${resolve("dist/cli/main.js")}"`;

/**
 * Runs shell blocks in this directory as one script, which ends at the first command that fails. Resolves with their
 * output. `reply` sees the output as it grows, and can type an answer.
 */
export function runBlocks(
  service: WholeService,
  blocks: readonly string[],
  {
    directory,
    env = {},
    secondsMax = 110,
    reply,
  }: {
    directory: string;
    secondsMax?: number;
    env?: Record<string, string>;
    reply?: (printed: string) => Promise<string | undefined>;
  },
): Promise<string> {
  const script = blocks.map((block) => asHere(service, block)).join("\n");
  const child = spawn("bash", ["--norc", "-e", "-u", "-o", "pipefail", "-c", script], {
    cwd: directory,
    env: { ...service.env, PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: secondsMax * 1_000,
  });
  let printed = "";
  let errors = "";
  let replied = false;
  return new Promise((resolved, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (replied || reply === undefined) return;
      reply(printed).then((typed) => {
        if (typed === undefined || replied) return;
        replied = true;
        child.stdin.end(`${typed}\n`);
      }, reject);
    });
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolved(printed);
      else reject(new Error(`exit code ${code}\n${printed}\n${errors}`));
    });
    if (reply === undefined) child.stdin.end();
  });
}
