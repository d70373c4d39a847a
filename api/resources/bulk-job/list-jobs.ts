import { z } from "zod";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { jobKinds, jobStates } from "../../../domain/bulk-job/job.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { searchesOf, searchingByText, textFilter } from "../../contract/list-search.ts";
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
  search: "whatever the filter `text` finds, as if it was that filter,",
  sort: jobs.jobSortKeys,
  filter: {
    kind: z.enum(jobKinds, `must be one of ${jobKinds.join(", ")}`),
    state: filters.list(z.enum(jobStates, "there is no such state")),
    dryRun: filters.flag,
    createdBy: filters.list(z.string().min(1).max(256)),
    minCreated: filters.instant,
    maxCreated: filters.instant,
    minStarted: filters.instant.describe("Leaves out jobs that have not begun."),
    text: textFilter(
      "words of the name, the id, who created it, the people that its rows are about and their profiles",
    ),
  },
  includes: { people: PeopleView },
  errors: [],

  async handle(call) {
    const {
      principal,
      page,
      deps: { db, clock },
    } = call;
    const at = clock.now();
    const searching = { realmId: principal.realmId, at, ...searchesOf("jobs", principal) };
    const { items, total } = await jobs.list(db, { ...searching, page: searchingByText(page) });
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
