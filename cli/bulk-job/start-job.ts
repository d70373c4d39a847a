import { usageError, type ExitCode } from "../../terminal/failure.ts";
import type { Context } from "../context/context.ts";
import { counted } from "../resources/texts.ts";
import { answerOf } from "../service/service-client.ts";
import { finish, follow } from "./finish.ts";
import type { Job } from "./job.ts";
import { uploadOf, type Upload, type UploadType } from "./upload.ts";
import { watchJob } from "./watch-job.ts";

/** When a job runs, and whether somebody waits for it. */
export interface RunOptions {
  wait: boolean;
  executeAt: string | undefined;
  confirmTotal: number | undefined;
  /** Of an offboarding: devices go off so many days later. */
  graceDays?: number | undefined;
}

export interface StartOptions extends RunOptions {
  kind: Job["kind"];
  file: string;
  type: UploadType | undefined;
  dryRun: boolean;
}

/**
 * Uploads a file and starts a job. An offboarding on a terminal is checked first, and runs when somebody has typed how
 * many people it is about; elsewhere it needs --yes.
 */
export async function startJob(context: Context, options: StartOptions): Promise<ExitCode> {
  const { kind, file, type, dryRun, wait, executeAt, confirmTotal, graceDays } = options;
  const asks = kind === "offboarding" && !dryRun && !context.options.yes;
  if (asks && (!context.isInteractive || file === "-")) {
    throw usageError(
      "Offboarding revokes every profile of these people permanently. Without a terminal to ask on, this needs --yes.",
    );
  }
  const upload = await uploadOf(file, type, context.io.stdin);
  if (!asks)
    return follow(context, await send(context, kind, upload, { dryRun, executeAt, confirmTotal, graceDays }), {
      wait: wait,
    });

  const checked = await watchJob(context, (await send(context, kind, upload, { dryRun: true, graceDays })).id);
  if (checked.state !== "ready" || checked.changed === 0) return finish(context, checked);
  return runJob(context, checked, { wait, executeAt, confirmTotal, graceDays });
}

/** Starts a job that was checked and is ready, or ends its days of grace now. */
export async function runJob(
  context: Context,
  job: Job,
  { wait, executeAt, confirmTotal, graceDays }: RunOptions,
): Promise<ExitCode> {
  const asked = questionOf(job, graceDays ?? job.graceDays);
  if (asked !== undefined) await context.confirm(asked.about, String(asked.people));
  // On a terminal the number has just been typed.
  const confirmed = confirmTotal ?? (context.options.yes ? undefined : asked?.people);
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

/** What somebody has to confirm before a job takes something away, with the number to type. */
function questionOf(job: Job, graceDays: number | null): { about: string; people: number } | undefined {
  if (job.state === "grace") {
    const people = job.total - job.done;
    return { people, about: `All profiles of ${counted(people, "user")} will be revoked now, permanently.` };
  }
  if (job.kind !== "offboarding") return undefined;
  const rest = `${counted(job.failed, "row")} cannot be used.`;
  const revoked = graceDays === null ? "" : ` ${counted(graceDays, "day")} later`;
  return {
    people: job.changed,
    about: `${counted(job.changed, "user")} will be offboarded, and all their profiles revoked permanently${revoked}. ${rest}`,
  };
}

async function send(
  context: Context,
  kind: Job["kind"],
  { contentType, open, repeatable }: Upload,
  { dryRun, executeAt, confirmTotal, graceDays }: Partial<Omit<RunOptions, "wait">> & { dryRun: boolean },
): Promise<Job> {
  const query = new URLSearchParams({
    ...(dryRun ? { dryRun: "true" } : {}),
    ...(executeAt === undefined ? {} : { executeAt }),
    ...(confirmTotal === undefined ? {} : { confirmTotal: String(confirmTotal) }),
    ...(graceDays === undefined ? {} : { graceDays: String(graceDays) }),
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
