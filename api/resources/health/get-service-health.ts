import { z } from "zod";
import type { HealthCheck } from "../../contract/deps.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { healthSecondsMax } from "./service-health.ts";

const Check = z.object({
  name: z
    .string()
    .describe(
      "`database`, `schema`, `queue`, `apis`, `workers`, `signers`, `responders`, `crl`, `audit`, `backlog`, `directory`, `disk` or `clock`.",
    ),
  state: z.enum(["ok", "warn", "fail"]),
  reason: z.string().nullable().describe("The fault; null: none."),
  versions: z
    .array(z.string())
    .optional()
    .describe("The versions of the processes that are alive, of `apis`, `workers` and `responders`."),
});

export const getServiceHealth = endpoint({
  operation: "getServiceHealth",
  summary: "Whether the service as a whole is well",
  description: `For people and monitoring; it may be ${healthSecondsMax} seconds old. \`degraded\`: a check warns, and everything works. 503 \`unavailable\` names in \`fields\` each check that fails.`,
  method: "get",
  path: "/status",
  access: "public",
  data: z.object({ state: z.enum(["ok", "degraded"]), checks: z.array(Check) }),
  errors: ["unavailable"],

  async handle({ deps, fail }) {
    const checks = await deps.serviceHealth();
    const failing = checks.filter(({ state }) => state === "fail");
    if (failing.length > 0) {
      throw fail("unavailable", {
        description: `Failing: ${failing.map(({ name }) => name).join(", ")}.${versionsOf(checks)}`,
        fields: failing.map(({ name, reason }) => ({ path: name, reason: reason ?? "" })),
        retryAfterSeconds: healthSecondsMax,
      });
    }
    const state = checks.every((check) => check.state === "ok") ? ("ok" as const) : ("degraded" as const);
    return { state, checks: checks.map((check) => ({ ...check, versions: check.versions && [...check.versions] })) };
  },
});

/**
 * Returns a sentence with the running versions, for people who look at them when an upgrade fails; empty if no version
 * is known.
 */
function versionsOf(checks: readonly HealthCheck[]): string {
  const known = checks.flatMap(({ name, versions = [] }) =>
    versions.length === 0 ? [] : [`${name} ${versions.join(" and ")}`],
  );
  return known.length === 0 ? "" : ` Running: ${known.join(", ")}.`;
}
