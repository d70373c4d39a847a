import { DatabaseUnavailable } from "../../../db/outage.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { IssuanceID } from "../../../domain/ids.ts";
import type { CollectedIssuance } from "../../contract/views/collected-issuance.ts";
import type { Fail, IncomingCall } from "../../contract/endpoint.ts";
import { waitingTime } from "../../contract/prefer.ts";
import { accepted, answered, type Reply } from "../../contract/reply.ts";
import { issuanceView } from "../../contract/views/issuance-view.ts";

interface Accepted<View> {
  id: IssuanceID;
  /** False for a repeat of an earlier request, which may be settled by now. */
  isNew: boolean;
  createdAt: Date;
  /** The creation's answer; undefined when there is none to give. */
  view: (collected: CollectedIssuance) => View | undefined;
}

interface FinishingCall<Code extends ErrorCode> extends Pick<
  IncomingCall,
  "deps" | "prefer" | "concerns" | "log" | "signal"
> {
  /** The codes that the endpoint lists. */
  errors: readonly Code[];
  fail: Fail<NoInfer<Code> | "issuance_failed" | "output_erased">;
}

/**
 * Puts an accepted issuance on the queue, waits as long as the client would have it, and answers: the created profile,
 * why there is none, or 202 with where to ask. Once an issuance is accepted, no outage takes it back.
 */
export async function finishIssuance<View, Code extends ErrorCode>(
  { id, isNew, createdAt, view }: Accepted<View>,
  { deps, prefer, concerns, log, signal, errors, fail }: FinishingCall<Code>,
): Promise<Reply<View | ReturnType<typeof issuanceView<View>>>> {
  concerns({ issuanceId: id });
  const { seconds, headers } = waitingTime(prefer, deps.settings.waitSeconds);
  const pending = (issuance: Parameters<typeof issuanceView>[0]) =>
    accepted(issuanceView<View>(issuance, null), { ...statusLocation(id), headers });
  const known = { id, state: "queued", createdAt, finishedAt: null, errorCode: null } as const;

  const watch = deps.settlements.watch(id);
  // Not waited for by those who wait for the notice: the work may be done before the queue has answered.
  const enqueued = deps.enqueueIssuance(id, { isNew });
  if (seconds === 0) {
    await enqueued;
    watch.end();
    // A repeat still gets what is there already.
    if (isNew) return pending(known);
  } else {
    if (!isNew) watch.checkNow();
    const outcome = await watch.settled(seconds * 1000, signal());
    if (outcome === "gone") return pending(known);
  }

  let collected: CollectedIssuance | undefined;
  try {
    collected = await deps.collectIssuance(id);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    log.warn(
      { event: "issuance.collect_failed", issuanceId: id, err: error.cause },
      "the database is away; answering 202",
    );
    return pending(known);
  }
  if (collected === undefined) throw new Error(`issuance ${id} has gone`);

  const { issuance, output } = collected;
  if (issuance.state === "failed") {
    // What the worker stored is the answer.
    throw fail(errors.find((code) => code === issuance.errorCode) ?? "issuance_failed");
  }
  if (output === "erased") throw fail("output_erased");
  const created = issuance.state === "issued" ? view(collected) : undefined;
  return created === undefined ? pending(issuance) : answered(created, headers);
}

/** Where a client that got 202 asks, and when. */
export const statusLocation = (issuanceId: string) => ({
  location: `/api/issuances/${issuanceId}`,
  retryAfterSeconds: 1,
});
