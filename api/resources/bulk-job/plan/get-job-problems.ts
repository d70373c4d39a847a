import { z } from "zod";
import * as jobProblems from "../../../../db/queries/bulk-job/plan/problems.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { endpoint } from "../../../contract/endpoint.ts";
import { wordsFor } from "../../../contract/views/job-row-view.ts";
import { faultOf } from "./row-fault.ts";

/** The most causes in a response, and the most rows for each cause. */
const problemsMax = 100;
const rowsMax = 10;

const JobProblem = z
  .object({
    error: z.string(),
    column: z.string().nullable().describe("As the file calls it; null where no single column is at fault."),
    message: z.string(),
    count: z.int().describe("The number of rows with it."),
    rows: z.array(z.int()).describe(`The first ${rowsMax} of them.`),
  })
  .meta({ id: "JobProblem" });
type JobProblem = z.infer<typeof JobProblem>;

export const getJobProblems = endpoint({
  operation: "getJobProblems",
  summary: "The problems of a bulk job's rows, each cause once",
  description: `The most frequent first, ${problemsMax} at most. Before the job runs, the problems that the check expects.`,
  method: "get",
  path: "/api/jobs/:id/problems",
  access: "staff",
  scope: "job.read",
  params: z.object({ id: BulkJobID }),
  data: z.array(JobProblem),
  errors: ["job_not_found"],
  unknown: { id: "job_not_found" },

  async handle({ params: { id: jobId }, principal: { realmId }, deps: { db, clock }, fail }) {
    const job = await jobs.find(db, { realmId, jobId, at: clock.now() });
    if (job === undefined) throw fail("job_not_found");
    const problems = await jobProblems.listProblems(db, { jobId, max: problemsMax, positionsMax: rowsMax });
    return problems.map((problem) => problemView(problem, job));
  },
});

function problemView({ errorCode, message, count, positions }: jobProblems.Problem, job: jobs.Job): JobProblem {
  const fault = faultOf(message ?? "", job);
  return {
    error: errorCode,
    column: fault === undefined ? null : fault.columns.join(" or "),
    message: fault?.reason ?? message ?? wordsFor(errorCode),
    count,
    rows: positions,
  };
}
