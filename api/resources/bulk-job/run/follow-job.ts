import { z } from "zod";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { Streamed, streaming } from "../../../contract/stream.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { jobEvents } from "./job-events.ts";

export const followJob = streaming({
  operation: "followJob",
  summary: "Follow a bulk job by server-sent events",
  description:
    "The `data` of each event is the job. At most 4 a second, a comment every 15 seconds; the last one has the job as it ended.",
  path: "/api/jobs/:id/events",
  access: "staff",
  scope: "job.read",
  params: z.object({ id: BulkJobID }),
  query: z.object({}),
  types: { "text/event-stream": JobView },
  resumed: true,
  errors: ["job_not_found"],
  unknown: { id: "job_not_found" },

  async handle({ params: { id: jobId }, principal, deps, lastEventId, stillAdmitted, signal, fail }) {
    const job = await jobs.find(deps.db, { realmId: principal.realmId, jobId, at: deps.clock.now() });
    if (job === undefined) throw fail("job_not_found");
    const events = jobEvents(jobId, {
      deps,
      after: readEventId(lastEventId),
      admittedUntil: principal.expiresAt,
      stillAdmitted,
      signal: signal(),
    });
    // A proxy that buffers the response would deliver the progress only after the job has ended.
    return new Streamed("text/event-stream", undefined, events, { "X-Accel-Buffering": "no" });
  },
});

/** Returns the revision that the client has seen. Treats an invalid id like a missing one. */
const readEventId = (id: string | undefined): number =>
  id !== undefined && /^[0-9]{1,15}$/.test(id) ? Number(id) : -1;
