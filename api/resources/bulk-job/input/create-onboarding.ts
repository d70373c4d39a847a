import { uploaded } from "../../../contract/upload.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { createJob, jobCreationErrors } from "./create-job.ts";
import { forOtherKinds, JobQuery, onboardingOffer } from "./job-upload.ts";

export const createOnboarding = uploaded({
  operation: "createOnboarding",
  summary: "Create or update many users, and issue profiles for them",
  description:
    "Up to 200,000 rows as JSON, NDJSON or CSV. Rows are checked first; an invalid row fails alone. Needs " +
    "`profile.create` as well when a row asks for a profile. With `Prefer: wait=N` the answer waits until the job " +
    "has ended or is ready.",
  path: "/api/jobs/onboarding",
  access: "staff",
  scope: "job.create",
  furtherScopes: ["user.modify"],
  query: JobQuery,
  refusedQuery: forOtherKinds,
  data: JobView,
  pending: JobView,
  ...onboardingOffer,
  errors: jobCreationErrors,

  handle: (call) => createJob("onboarding", call),
});
