import { z } from "zod";
import { foldHeading } from "../../domain/bulk-job/input/columns.ts";
import { jobNameMax } from "../../domain/bulk-job/job.ts";
import { graceDaysMax } from "../../domain/lifetimes.ts";
import { argument, flag, option } from "../../terminal/command.ts";
import { exitCodes } from "../../terminal/exit-codes.ts";
import { isSet, oneOf, wholeNumber } from "../../terminal/inputs.ts";
import { finish, follow } from "../bulk-job/finish.ts";
import { askForJob } from "../bulk-job/job-updates.ts";
import { jobResource, problemResource, type Job } from "../bulk-job/job.ts";
import { runJob, startJob } from "../bulk-job/start-job.ts";
import { undoJob } from "../bulk-job/undo-job.ts";
import { uploadCharsets, uploadTypes, type UploadType } from "../bulk-job/upload.ts";
import { watchJob } from "../bulk-job/watch-job.ts";
import { allRows } from "../service/pages.ts";
import { answerOf } from "../service/service-client.ts";
import { command, type CliCommand } from "./command.ts";
import { before, csvFlag, jobArgument, listOptions, onceEach, pair, reasonOption } from "./inputs.ts";
import { jobsErase, jobsResults } from "./job-results.ts";
import { asQuery } from "./query.ts";

const waitFlag = flag("wait until it has ended, and show its progress", isSet);

const runOptions = {
  wait: waitFlag,
  executeAt: option("TIME", "the earliest start; ISO 8601", z.string().min(1).optional()),
  confirmTotal: option(
    "N",
    "the number of people that will be offboarded or reactivated, or of profiles that will be revoked; needed when they are a large part of the realm",
    wholeNumber(0, 9_999_999).optional(),
  ),
};

const graceDays = option(
  "N",
  `devices go offline this many days later, 1 to ${graceDaysMax}; default: at once`,
  wholeNumber(1, graceDaysMax).optional(),
);

const types = Object.keys(uploadTypes) as UploadType[];

const startArguments = { file: argument("FILE", "CSV, JSON or NDJSON; - for standard input", z.string().min(1)) };

const startOptions = {
  type: option("TYPE", `${types.join(", ")}; default: by the file's name`, oneOf(types).optional(), {
    choices: types,
  }),
  dryRun: flag("only check; change nothing", isSet),
  column: option(
    "HEADING=COLUMN",
    "the meaning of a column of a CSV file, or =ignore; may be given several times",
    // The service finds a column by its folded heading.
    pair("=")
      .superRefine(onceEach((text) => before(text, text.lastIndexOf("=")), foldHeading))
      .default([]),
    { many: true },
  ),
  ignoreUnknown: flag("leave out columns of a CSV file that are unknown", isSet),
  noHeader: flag("the CSV file has one column and no heading: its first line is data", isSet),
  charset: option("CHARSET", `of a CSV file: ${uploadCharsets.join(", ")}`, oneOf(uploadCharsets).optional(), {
    choices: uploadCharsets,
  }),
  name: option("NAME", "the name of the job; default: the file's name", z.string().min(1).max(jobNameMax).optional()),
  rowOffset: option("N", "the number of rows in the file before row 1", wholeNumber(0, 1_048_576).optional()),
  ...runOptions,
};

const start = (kind: Job["kind"], word: string, about: string): CliCommand =>
  command({
    name: `jobs start ${word}`,
    about,
    arguments: startArguments,
    options: startOptions,
    run: (input, context) => startJob(context, { kind, ...input }),
  });

const startOffboarding = command({
  name: "jobs start offboard",
  about: "End all access of the people in a file, and revoke all their profiles.",
  arguments: startArguments,
  options: { ...startOptions, graceDays },
  run: (input, context) => startJob(context, { kind: "offboarding", ...input }),
});

const startRevocation = command({
  name: "jobs start revoke",
  about: "Revoke the profiles whose serial numbers are in a file. The people keep their access.",
  arguments: startArguments,
  options: { ...startOptions, reason: reasonOption },
  run: (input, context) => startJob(context, { kind: "revocation", ...input }),
});

const jobsList = command({
  name: "jobs list",
  about: "List the bulk jobs of the realm.",
  options: { limit: listOptions.limit, filter: listOptions.filter, sort: listOptions.sort, csv: listOptions.csv },
  async run({ csv, ...choice }, context) {
    const { api } = await context.service();
    const rows = allRows<Job>(
      { ...choice, search: undefined },
      {
        page: (query) => answerOf(api.GET("/api/jobs", { params: { query: asQuery(query) } })),
        idOf: ({ id }) => id,
      },
    );
    await context.out.list(jobResource, rows, { csv });
    return undefined;
  },
});

const jobsShow = command({
  name: "jobs show",
  about: "Show the current state of a job.",
  arguments: { job: jobArgument },
  options: {},
  async run({ job }, context) {
    await context.out.one(jobResource, await askForJob(await context.service(), job));
    return undefined;
  },
});

const jobsRun = command({
  name: "jobs run",
  about: "Run a job that is ready, or end its grace period now.",
  arguments: { job: jobArgument },
  options: {
    ...runOptions,
    executeAt: option(
      "TIME",
      "the earliest start; ISO 8601; a past time: at once; default: as the job was created",
      z.string().min(1).optional(),
    ),
    graceDays,
  },
  run: async ({ job, ...options }, context) => runJob(context, await askForJob(await context.service(), job), options),
});

const jobsWatch = command({
  name: "jobs watch",
  about: "Show a job's progress until it has ended or is ready to run.",
  arguments: { job: jobArgument },
  options: {},
  run: async ({ job }, context) => finish(context, await watchJob(context, job)),
});

const jobsCancel = command({
  name: "jobs cancel",
  about: "Stop a job. It finishes the rows that are being processed and keeps finished rows.",
  arguments: { job: jobArgument },
  options: { wait: waitFlag },
  async run({ job: id, wait }, context) {
    const { api } = await context.service();
    const { data } = await answerOf(api.POST("/api/jobs/{id}/cancel", { params: { path: { id } } }));
    const code = await follow(context, data, { wait });
    // The user ended the job early, so the command succeeds.
    return code === exitCodes.partly ? exitCodes.done : code;
  },
});

const jobsRetry = command({
  name: "jobs retry",
  about: "Try the failed rows of a job again, as a new job.",
  arguments: { job: jobArgument },
  options: { wait: waitFlag },
  async run({ job: id, wait }, context) {
    const { api } = await context.service();
    const { data } = await answerOf(api.POST("/api/jobs/{id}/retry", { params: { path: { id } } }));
    return follow(context, data, { wait });
  },
});

const jobsUndo = command({
  name: "jobs undo",
  about: "Undo an offboarding: the people it locked out can sign in again, unless somebody has changed them since.",
  arguments: { job: jobArgument },
  options: { dryRun: flag("only check; change nothing", isSet), ...runOptions },
  run: ({ job, ...options }, context) => undoJob(context, job, options),
});

const rowsArgument = argument(
  "ROW…",
  "their numbers, as in the results",
  z
    .array(
      z
        .string()
        .regex(/^[1-9][0-9]{0,6}$/, "must be a row's number")
        .transform(Number),
    )
    .min(1, "is required"),
  { many: true },
);

const jobsLeaveOut = command({
  name: "jobs leave-out",
  about: "Leave rows out of a job that is not running yet.",
  arguments: { job: jobArgument, rows: rowsArgument },
  options: {},
  async run({ job: id, rows }, context) {
    const { api } = await context.service();
    const { data } = await answerOf(api.DELETE("/api/jobs/{id}/rows", { params: { path: { id } }, body: { rows } }));
    await context.out.one(jobResource, data);
    return undefined;
  },
});

const jobsTakeIn = command({
  name: "jobs take-in",
  about: "Include rows of a job again that were left out. They are checked again.",
  arguments: { job: jobArgument, rows: rowsArgument },
  options: {},
  async run({ job: id, rows }, context) {
    const { api } = await context.service();
    const { data } = await answerOf(api.PUT("/api/jobs/{id}/rows", { params: { path: { id } }, body: { rows } }));
    await context.out.one(jobResource, data);
    return undefined;
  },
});

const jobsProblems = command({
  name: "jobs problems",
  about: "List what is wrong with the rows of a job, each cause once.",
  arguments: { job: jobArgument },
  options: { csv: csvFlag },
  async run({ job: id, csv }, context) {
    const { api } = await context.service();
    const { data } = await answerOf(api.GET("/api/jobs/{id}/problems", { params: { path: { id } } }));
    await context.out.list(problemResource, data, { csv });
    return undefined;
  },
});

export const jobCommands: readonly CliCommand[] = [
  jobsList,
  jobsShow,
  start("onboarding", "onboard", "Add or update people and, where a row asks for one, issue a profile."),
  startOffboarding,
  start("reactivation", "reactivate", "Let the people in a file sign in again. Revoked profiles stay revoked."),
  startRevocation,
  jobsRun,
  jobsLeaveOut,
  jobsTakeIn,
  jobsProblems,
  jobsWatch,
  jobsCancel,
  jobsResults,
  jobsRetry,
  jobsUndo,
  jobsErase,
];
