import { uploaded } from "../../../contract/upload.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { createJob, jobCreationErrors } from "./create-job.ts";
import { forOtherKinds, personOffer, OffboardingQuery } from "./job-upload.ts";

export const createOffboarding = uploaded({
  operation: "createOffboarding",
  summary: "Offboard many users",
  description:
    "Up to 200,000 rows as JSON, NDJSON or CSV, or all that a search and filter of `GET /api/user` find " +
    "(`matching`). First everybody is locked out, then their profiles are revoked; with `graceDays`, that many days " +
    "later. When " +
    "more than 100 people would be offboarded that are more than the realm's share of its active users, the job stops " +
    "in `ready` with `confirmation_required` unless `confirmTotal` is their number.",
  path: "/api/jobs/offboarding",
  access: "staff",
  scope: "job.create",
  furtherScopes: ["user.delete"],
  query: OffboardingQuery,
  refusedQuery: { reason: forOtherKinds.reason },
  data: JobView,
  pending: JobView,
  ...personOffer,
  errors: jobCreationErrors,

  handle: (call) => createJob("offboarding", call),
});
