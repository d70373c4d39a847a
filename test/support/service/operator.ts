import { runOperator } from "../../../operator/program.ts";
import { systemClock } from "../../../runtime/clock.ts";
import type { Env } from "../../../runtime/config/config.ts";
import { testKeyCost } from "../given/hierarchy/test-hierarchy.ts";

/** The output of a command, and how it ended. */
export interface OperatorRun {
  code: number;
  err: string;
  json: Record<string, unknown>;
}

/** Runs an operator command with `--json` and only `env` as its environment. */
export async function operate(argv: readonly string[], env: Env): Promise<OperatorRun> {
  let [out, err] = ["", ""];
  const code = await runOperator([...argv, "--json"], {
    env,
    nodeVersion: process.versions.node,
    clock: systemClock,
    writeOut: (text) => (out += text),
    writeError: (text) => (err += text),
    costs: { key: testKeyCost },
    readSecret: () => Promise.resolve(""),
  });
  return { code, err, json: JSON.parse(out) as Record<string, unknown> };
}

/** A check of `doctor`, as printed. */
export interface SeenCheck {
  name: string;
  status: "ok" | "warn" | "fail";
  message: string;
  remedy: string | null;
}

/** Returns the findings of `operator doctor`, check by check. */
export async function askDoctor(env: Env): Promise<SeenCheck[]> {
  const { json } = await operate(["doctor"], env);
  return json["checks"] as SeenCheck[];
}
