import { z } from "zod";
import * as undo from "../../../../db/queries/bulk-job/plan/undo.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { endpoint } from "../../../contract/endpoint.ts";
import { Timestamp } from "../../../contract/views/timestamp.ts";

const UndoView = z
  .object({
    people: z.int().describe("People who could sign in again."),
    changedSince: z.int().describe("People who have been changed since this job. They stay as they are."),
    devicesKept: z.int().describe("Devices of these people that never went offline."),
    devicesRevoked: z.int().describe("Devices of these people that stay offline until they are set up again."),
    until: Timestamp.nullable().describe("Until when this can be done; null: it cannot be done now."),
  })
  .meta({ id: "JobUndo" });

export const getUndo = endpoint({
  operation: "getJobUndo",
  summary: "The effect that an undo of an offboarding would have now",
  method: "get",
  path: "/api/jobs/:id/undo",
  access: "staff",
  scope: "job.read",
  params: z.object({ id: BulkJobID }),
  data: UndoView,
  errors: ["job_not_found"],
  unknown: { id: "job_not_found" },

  async handle({ params: { id: jobId }, principal: { realmId }, deps: { db, clock }, fail }) {
    const at = clock.now();
    const job = await jobs.find(db, { realmId, jobId, at });
    if (job === undefined) throw fail("job_not_found");
    const none = { people: 0, changedSince: 0, devicesKept: 0, devicesRevoked: 0 };
    const found = job.undoUntil === null ? none : await undo.previewUndo(db, { jobId, at });
    return { ...found, until: found.people === 0 ? null : (job.undoUntil?.toISOString() ?? null) };
  },
});
