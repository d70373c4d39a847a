import { basename } from "node:path";
import { jobNameMax } from "../../domain/bulk-job/job.ts";
import type { ExitCode } from "../../terminal/exit-codes.ts";
import { usageError } from "../../terminal/failure.ts";
import type { Context } from "../context/context.ts";
import { counted } from "../resources/texts.ts";
import { answerOf } from "../service/service-client.ts";
import { finish, follow } from "./finish.ts";
import type { Job } from "./job.ts";
import { uploadOf, type Upload, type UploadCharset, type UploadType } from "./upload.ts";
import { watchJob } from "./watch-job.ts";

/** When a job runs, and whether the command waits for it. */
export interface RunOptions {
  wait: boolean;
  executeAt: string | undefined;
  confirmTotal: number | undefined;
  /** For an offboarding: the devices lose access this many days later. */
  graceDays?: number | undefined;
}

interface Question {
  /** The permanent effect of the job, which is the reason to ask. */
  takes: string;
  /** Returns the question: the job changes `changed` people or profiles. */
  about: (changed: number, graceDays: number | null) => string;
}

/** The question that the user answers before each kind of job runs; undefined if the job removes nothing. */
const questions: Readonly<Record<Job["kind"], Question | undefined>> = {
  onboarding: undefined,
  offboarding: {
    takes: "Offboarding revokes every profile of these people permanently.",
    about(changed, graceDays) {
      const later = graceDays === null ? "" : ` ${counted(graceDays, "day")} later`;
      return `${counted(changed, "person")} will be offboarded, and all their profiles revoked permanently${later}.`;
    },
  },
  reactivation: undefined,
  revocation: {
    takes: "Revoked profiles cannot be restored.",
    about: (changed) => `${counted(changed, "profile")} will be revoked permanently.`,
  },
};

/** The options for an uploaded file. */
export interface FileOptions {
  /** The meaning of columns: `Matrikel=pairwiseID`. */
  column: readonly string[];
  ignoreUnknown: boolean;
  /** The file has one column and no heading. */
  noHeader: boolean;
  /** If undefined, the job gets the file's name. */
  name: string | undefined;
  rowOffset: number | undefined;
}

export interface StartOptions extends RunOptions, FileOptions {
  kind: Job["kind"];
  file: string;
  type: UploadType | undefined;
  charset: UploadCharset | undefined;
  dryRun: boolean;
  /** For a revocation: CRLReason. */
  reason?: number | undefined;
}

/**
 * Uploads a file and starts a job. Asks before an offboarding or a revocation, unless it is a dry run or --yes is
 * given: the service first checks the job, and runs it once the user has typed the number of people or profiles. Throws
 * if there is no terminal to ask on, or the file comes from stdin.
 */
export async function startJob(context: Context, options: StartOptions): Promise<ExitCode> {
  const { kind, file, type, charset, dryRun, wait, executeAt, confirmTotal, graceDays } = options;
  const about = queryOf(file, options);
  const takes = questions[kind]?.takes;
  const asks = takes !== undefined && !dryRun && !context.options.yes;
  if (asks && (!context.isInteractive || file === "-")) {
    throw usageError(`${takes} Without a terminal to ask on, this needs --yes.`);
  }
  const upload = await uploadOf(file, { type, charset, stdin: context.io.stdin });
  if (!asks)
    return follow(context, await send(context, kind, upload, { dryRun, executeAt, confirmTotal, graceDays, about }), {
      wait,
    });

  const checked = await watchJob(context, (await send(context, kind, upload, { dryRun: true, graceDays, about })).id);
  if (checked.state !== "ready" || checked.changed === 0) return finish(context, checked);
  return runJob(context, checked, { wait, executeAt, confirmTotal, graceDays });
}

/** Starts a job that is checked and ready, or immediately ends a job's grace period. */
export async function runJob(
  context: Context,
  job: Job,
  { wait, executeAt, confirmTotal, graceDays }: RunOptions,
): Promise<ExitCode> {
  const asked = questionOf(job, graceDays ?? job.graceDays);
  if (asked !== undefined) await context.confirm(asked.about, String(asked.count));
  // On a terminal, the user has already typed the number.
  const confirmed = confirmTotal ?? (context.options.yes ? undefined : asked?.count);
  const { api } = await context.service();
  const { data: started } = await answerOf(
    api.POST("/api/jobs/{id}/start", {
      params: { path: { id: job.id } },
      body: {
        ...(executeAt === undefined ? {} : { executeAt }),
        ...(confirmed === undefined ? {} : { confirmTotal: confirmed }),
        ...(graceDays === undefined ? {} : { graceDays }),
      },
    }),
  );
  return follow(context, started, { wait });
}

/**
 * Returns the question that the user must answer before a job removes something, and the number to type; undefined if
 * the job removes nothing.
 */
function questionOf(job: Job, graceDays: number | null): { about: string; count: number } | undefined {
  if (job.state === "grace") {
    const count = job.total - job.done;
    return { count, about: `All profiles of ${counted(count, "person")} will be revoked now, permanently.` };
  }
  const about = questions[job.kind]?.about(job.changed, graceDays);
  return about === undefined
    ? undefined
    : { count: job.changed, about: `${about} ${counted(job.failed, "row")} cannot be used.` };
}

/** Returns the query parameters for the upload, from the command's options. */
function queryOf(
  file: string,
  { column, ignoreUnknown, noHeader, name, rowOffset, reason }: FileOptions & Pick<StartOptions, "reason">,
): Record<string, string> {
  const called = name ?? (file === "-" ? undefined : basename(file).slice(0, jobNameMax));
  const columns = column.map((pair): [string, string] => {
    const at = pair.lastIndexOf("=");
    return [`columns[${pair.slice(0, at)}]`, pair.slice(at + 1)];
  });
  return {
    ...Object.fromEntries(columns),
    ...(ignoreUnknown ? { unknownColumns: "ignore" } : {}),
    ...(noHeader ? { header: "none" } : {}),
    ...(called === undefined ? {} : { name: called }),
    ...(rowOffset === undefined ? {} : { rowOffset: String(rowOffset) }),
    ...(reason === undefined ? {} : { reason: String(reason) }),
  };
}

async function send(
  context: Context,
  kind: Job["kind"],
  { contentType, open, repeatable }: Upload,
  {
    dryRun,
    executeAt,
    confirmTotal,
    graceDays,
    about,
  }: Partial<Omit<RunOptions, "wait">> & { dryRun: boolean; about: Readonly<Record<string, string>> },
): Promise<Job> {
  const query = new URLSearchParams({
    ...(dryRun ? { dryRun: "true" } : {}),
    ...(executeAt === undefined ? {} : { executeAt }),
    ...(confirmTotal === undefined ? {} : { confirmTotal: String(confirmTotal) }),
    ...(graceDays === undefined ? {} : { graceDays: String(graceDays) }),
    ...about,
  }).toString();
  const service = await context.service();
  context.notify("Uploading …");
  const response = await service.stream({
    method: "POST",
    path: `/api/jobs/${kind}${query === "" ? "" : `?${query}`}`,
    headers: { "Content-Type": contentType, Accept: "application/json" },
    body: open,
    repeatable,
  });
  const { data } = (await response.json()) as { data: Job };
  return data;
}
