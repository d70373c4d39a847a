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
  const { kind, file, type, dryRun, wait, executeAt, confirmTotal } = options;
  const asks = kind === "offboarding" && !dryRun && !context.options.yes;
  if (asks && (!context.isInteractive || file === "-")) {
    throw usageError(
      "Offboarding revokes every profile of these people permanently. Without a terminal to ask on, this needs --yes.",
    );
  }
  const upload = await uploadOf(file, type, context.io.stdin);
  if (!asks)
    return follow(context, await send(context, kind, upload, { dryRun, executeAt, confirmTotal }), { wait: wait });

  const checked = await watchJob(context, (await send(context, kind, upload, { dryRun: true })).id);
  if (checked.state !== "ready" || checked.changed === 0) return finish(context, checked);
  return runJob(context, checked, { wait, executeAt, confirmTotal });
}

/** Starts a job that was checked and is ready. */
export async function runJob(
  context: Context,
  job: Job,
  { wait, executeAt, confirmTotal }: RunOptions,
): Promise<ExitCode> {
  if (job.kind === "offboarding") {
    await context.confirm(
      `${counted(job.changed, "user")} will be offboarded, and all their profiles revoked permanently. ${counted(job.failed, "row")} cannot be used.`,
      String(job.changed),
    );
  }
  // On a terminal the number has just been typed.
  const confirmed = confirmTotal ?? (job.kind === "offboarding" && !context.options.yes ? job.changed : undefined);
  const { api } = await context.service();
  const { data: started } = await answerOf(
    api.POST("/api/jobs/{id}/start", {
      params: { path: { id: job.id } },
      body: {
        ...(executeAt === undefined ? {} : { executeAt }),
        ...(confirmed === undefined ? {} : { confirmTotal: confirmed }),
      },
    }),
  );
  return follow(context, started, { wait });
}

async function send(
  context: Context,
  kind: Job["kind"],
  { contentType, open, repeatable }: Upload,
  {
    dryRun,
    executeAt,
    confirmTotal,
  }: { dryRun: boolean; executeAt?: string | undefined; confirmTotal?: number | undefined },
): Promise<Job> {
  const query = new URLSearchParams({
    ...(dryRun ? { dryRun: "true" } : {}),
    ...(executeAt === undefined ? {} : { executeAt }),
    ...(confirmTotal === undefined ? {} : { confirmTotal: String(confirmTotal) }),
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
