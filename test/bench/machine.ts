import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, totalmem } from "node:os";
import { findTool } from "../support/run/tools.ts";
import type { Service } from "./service.ts";

/** Describes the machine on which the figures were measured, as rows of a table. */
export function describeMachine({ postgresVersion }: Pick<Service, "postgresVersion">): [string, string][] {
  return [
    ["Processor", `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores`],
    ["Memory", `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ["Node", process.versions.node],
    ["Postgres", `${postgresVersion}, embedded, as \`npm start\` configures it`],
    ["Redis", `${redisVersion()}, append-only, fsync every second`],
  ];
}

function redisVersion(): string {
  const program = findTool("redis-server");
  if (program === undefined) return "none";
  return /v=([\d.]+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1] ?? "unknown";
}
