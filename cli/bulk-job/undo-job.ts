import type { ExitCode } from "../../terminal/exit-codes.ts";
import { CommandError } from "../../terminal/failure.ts";
import type { Context } from "../context/context.ts";
import { counted } from "../resources/texts.ts";
import { answerOf } from "../service/service-client.ts";
import { follow } from "./finish.ts";
import type { RunOptions } from "./start-job.ts";

/**
 * Undoes an offboarding with a new job. Unless it is a dry run, the user first types the number of people on a
 * terminal, or has passed --yes.
 */
export async function undoJob(
  context: Context,
  id: string,
  { dryRun, wait, executeAt, confirmTotal }: RunOptions & { dryRun: boolean },
): Promise<ExitCode> {
  const { api } = await context.service();
  const { data: undo } = await answerOf(api.GET("/api/jobs/{id}/undo", { params: { path: { id } } }));
  if (undo.people === 0) throw new CommandError("nothing_to_undo", "This job no longer keeps anybody out.");
  if (!dryRun) {
    const stay = undo.changedSince === 0 ? "" : ` ${counted(undo.changedSince, "person")} changed since and will stay.`;
    await context.confirm(
      `${counted(undo.people, "person")} can sign in again.${stay} ${devicesText(undo)}`,
      String(undo.people),
    );
  }
  // On a terminal, the user has already typed the number.
  const confirmed = confirmTotal ?? (dryRun || context.options.yes ? undefined : undo.people);
  const { data } = await answerOf(
    api.POST("/api/jobs/{id}/undo", {
      params: { path: { id } },
      body: {
        dryRun,
        ...(executeAt === undefined ? {} : { executeAt }),
        ...(confirmed === undefined ? {} : { confirmTotal: confirmed }),
      },
    }),
  );
  return follow(context, data, { wait });
}

function devicesText({ devicesKept, devicesRevoked }: { devicesKept: number; devicesRevoked: number }): string {
  const kept = devicesKept > 0 ? [`${counted(devicesKept, "device")} never went offline.`] : [];
  const revoked =
    devicesRevoked > 0
      ? [
          `${counted(devicesRevoked, "device")} will stay offline: revoked profiles cannot be restored; each has to be set up again.`,
        ]
      : [];
  return [...kept, ...revoked].join(" ");
}
