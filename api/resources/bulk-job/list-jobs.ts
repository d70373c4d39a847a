import { z } from "zod";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { jobKinds, jobStates } from "../../../domain/bulk-job/job.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { JobView, jobView } from "../../contract/views/job-view.ts";
import { includedPeople, PeopleView } from "../../contract/views/person-view.ts";

export const listJobs = paginated({
  operation: "listJobs",
  summary: "The bulk jobs of the realm",
  description: "With `include=people` the answer has their creators as `people`, by userID, which needs `user.read`.",
  path: "/api/jobs",
  access: "staff",
  scope: "job.read",
  item: JobView,
  sort: jobs.jobSortKeys,
  filter: {
    kind: z.enum(jobKinds, `must be one of ${jobKinds.join(", ")}`),
    state: filters.list(z.enum(jobStates, "there is no such state")),
    dryRun: filters.flag,
    createdBy: filters.list(z.string().min(1).max(256)),
    minCreated: filters.instant,
    maxCreated: filters.instant,
  },
  includes: { people: PeopleView },
  errors: [],

  async handle(call) {
    const {
      principal: { realmId },
      page,
      deps: { db, clock },
    } = call;
    const at = clock.now();
    const { items, total } = await jobs.list(db, { realmId, at, page });
    return {
      items: items.map((job) => jobView(job, at)),
      total,
      included: await includedPeople(
        call,
        items.map(({ createdByUserId }) => createdByUserId),
      ),
    };
  },
});
