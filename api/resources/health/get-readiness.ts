import { z } from "zod";
import { notReady, readinessRetryAfterSeconds, readyData } from "../../../process/readiness.ts";
import { endpoint } from "../../contract/endpoint.ts";

const Met = z.object({ ok: z.boolean() });

export const getReadiness = endpoint({
  operation: "getReadiness",
  summary: "Whether this process can serve",
  description:
    "For balancers. 503 `unavailable` names in `fields` what the process lacks: the database, its schema (a pending migration), its keys (not the installation's) or a clock that agrees with the database's. The rest of the service is `/status`.",
  method: "get",
  path: "/readyz",
  access: "public",
  data: z.object({ database: Met.extend({ ms: z.number() }), schema: Met, keys: Met, clock: Met }),
  errors: ["unavailable"],

  async handle({ deps, fail }) {
    const found = await deps.readiness();
    if (found.lacks.length === 0) return readyData(found);
    throw fail("unavailable", {
      description: notReady(found),
      fields: found.lacks,
      retryAfterSeconds: readinessRetryAfterSeconds,
    });
  },
});
