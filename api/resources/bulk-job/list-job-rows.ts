import { z } from "zod";
import * as jobRows from "../../../db/queries/bulk-job/rows.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { rowStatuses } from "../../../domain/bulk-job/job.ts";
import { BulkJobID } from "../../../domain/ids.ts";
import { hasStaffScope } from "../../contract/access.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { inputColumns, JobRowOfPersonView, jobRowOfPersonView } from "../../contract/views/job-row-view.ts";
import { DevicesView, includedDevices } from "../../contract/included-devices.ts";
import { includedPeople, PeopleView } from "../../contract/views/person-view.ts";

export const listJobRows = paginated({
  operation: "listJobRows",
  summary: "The rows of a bulk job, with the people that they are about",
  description:
    "In the order of the file. Before the job runs, `status` is what the check expects: `changed` are all whom it will " +
    "change, and nobody else. With `include=people` the answer has `people`, by userID, which needs `user.read`; with " +
    "`include=devices` it has the profiles to revoke as `devices`, by serial, which needs `profile.read`.",
  path: "/api/jobs/:id/rows",
  access: "staff",
  scope: "job.read",
  params: z.object({ id: BulkJobID }),
  item: JobRowOfPersonView,
  search: "what was given, or the pairwise id, e-mail address or name of the person,",
  sort: jobRows.jobRowSortKeys,
  filter: { status: filters.list(z.enum(rowStatuses, "there is no such status")) },
  includes: { people: PeopleView, devices: DevicesView },
  errors: ["job_not_found"],
  unknown: { id: "job_not_found" },

  async handle(call) {
    const {
      params: { id: jobId },
      principal,
      page,
      deps: { db, clock },
      fail,
    } = call;
    const { realmId } = principal;
    const showsLimits = hasStaffScope(principal, "user.read");
    const job = await jobs.find(db, { realmId, jobId, at: clock.now() });
    if (job === undefined) throw fail("job_not_found");
    const { items, total } = await jobRows.list(db, { jobId, realmId, page });
    const columns = inputColumns(job);
    const [people, devices] = await Promise.all([
      includedPeople(
        call,
        items.map(({ userId }) => userId),
      ),
      includedDevices(
        call,
        items.map(({ serialNumber }) => serialNumber),
      ),
    ]);
    return {
      items: items.map((row) => jobRowOfPersonView(row, { columns, showsLimits })),
      total,
      included: { ...people, ...devices },
    };
  },
});
