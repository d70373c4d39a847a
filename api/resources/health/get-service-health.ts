import { z } from "zod";
import { endpoint } from "../../contract/endpoint.ts";
import { healthSecondsMax } from "./service-health.ts";

const Check = z.object({
  name: z
    .string()
    .describe(
      "`database`, `schema`, `queue`, `apis`, `workers`, `signers`, `responders`, `crl`, `audit`, `backlog`, `disk` or `clock`.",
    ),
  state: z.enum(["ok", "warn", "fail"]),
  reason: z.string().nullable().describe("What is wrong; null when nothing is."),
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
        description: `Failing: ${failing.map(({ name }) => name).join(", ")}.`,
        fields: failing.map(({ name, reason }) => ({ path: name, reason: reason ?? "" })),
        retryAfterSeconds: healthSecondsMax,
      });
    }
    const state = checks.every((check) => check.state === "ok") ? ("ok" as const) : ("degraded" as const);
    return { state, checks: [...checks] };
  },
});
