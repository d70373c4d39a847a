import { uploaded } from "../../../contract/upload.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { createJob, jobCreationErrors } from "./create-job.ts";
import { forOtherKinds, profileOffer, RevocationQuery } from "./job-upload.ts";

export const createRevocation = uploaded({
  operation: "createRevocation",
  summary: "Revoke many profiles of the realm's users",
  description:
    "Up to 200,000 serial numbers as JSON, NDJSON or CSV, or all profiles that a search and filter of `GET " +
    "/api/profiles` " +
    "find (`matching`). A profile that is already revoked is `unchanged`; a serial number without a profile of a " +
    "user of this realm fails alone. When more than 100 profiles would be revoked that are more than the " +
    "realm's share of its active profiles, the job stops in `ready` with `confirmation_required` unless " +
    "`confirmTotal` is " +
    "their number. Revoking cannot be undone.",
  path: "/api/jobs/revocation",
  access: "staff",
  scope: "job.create",
  furtherScopes: ["profile.delete"],
  query: RevocationQuery,
  refusedQuery: { graceDays: forOtherKinds.graceDays },
  data: JobView,
  pending: JobView,
  ...profileOffer,
  errors: jobCreationErrors,

  handle: ({ query: { reason, ...query }, ...call }) => createJob("revocation", { ...call, query, reason }),
});
