import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTool } from "../run/tools.ts";

export interface ToolResult {
  /** 0 on success. */
  status: number;
  stdout: string;
  /** The output as octets, for DER. */
  output: Buffer;
  stderr: string;
}

/** Runs `openssl` as {@link runTool} does. */
export const openssl = (args: readonly string[], files: Record<string, string | Uint8Array> = {}): ToolResult =>
  runTool("openssl", args, files);

/**
 * Runs a program with `args` in a new directory that contains `files`, which the arguments name; the directory is
 * removed afterwards. Throws only when the program is missing, cannot be run or takes more than 60 s.
 */
export function runTool(
  tool: string,
  args: readonly string[],
  files: Record<string, string | Uint8Array> = {},
): ToolResult {
  const directory = mkdtempSync(join(tmpdir(), `${tool}-`));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
    const { status, stdout, stderr, error } = spawnSync(requireTool(tool), args, {
      cwd: directory,
      timeout: 60_000,
      maxBuffer: 1 << 28,
    });
    if (error !== undefined) throw error;
    return { status: status ?? -1, stdout: stdout.toString("utf8"), output: stdout, stderr: stderr.toString("utf8") };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
