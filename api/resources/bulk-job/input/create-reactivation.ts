import { uploaded } from "../../../contract/upload.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { createJob, jobCreationErrors } from "./create-job.ts";
import { forOtherKinds, JobQuery, personOffer } from "./job-upload.ts";

export const createReactivation = uploaded({
  operation: "createReactivation",
  summary: "Let many offboarded users sign in again",
  description:
    "Up to 200,000 rows as JSON, NDJSON or CSV, or `matching`, as for offboarding. Revoked profiles stay revoked: " +
    "each device has to be set up again. Devices of people in their days of grace were never revoked and stay on " +
    "the network. When more than 100 " +
    "people would be let in that are more than the realm's share of its active users, the job stops in `ready` with " +
    "`confirmation_required` unless `confirmTotal` is their number.",
  path: "/api/jobs/reactivation",
  access: "staff",
  scope: "job.create",
  furtherScopes: ["user.modify"],
  query: JobQuery,
  refusedQuery: forOtherKinds,
  data: JobView,
  pending: JobView,
  ...personOffer,
  errors: jobCreationErrors,

  handle: (call) => createJob("reactivation", call),
});
