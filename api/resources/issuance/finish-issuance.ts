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
  /** False for a repeated request: the issuance that the first request created may be settled already. */
  isNew: boolean;
  createdAt: Date;
  /** Returns the body of the response to the creation; undefined if there is no profile yet. */
  view: (collected: CollectedIssuance) => View | undefined;
}

interface FinishingCall<Code extends ErrorCode> extends Pick<
  IncomingCall,
  "deps" | "prefer" | "concerns" | "log" | "signal"
> {
  /** The error codes that the endpoint lists. */
  errors: readonly Code[];
  fail: Fail<NoInfer<Code> | "issuance_failed" | "output_erased">;
}

/**
 * Enqueues an accepted issuance, waits as long as the client asks, and replies with the created profile, the error, or
 * 202 and the address to ask again. Once an issuance is accepted, no outage undoes it.
 */
export async function finishIssuance<View, Code extends ErrorCode>(
  { id, isNew, createdAt, view }: Accepted<View>,
  { deps, prefer, concerns, log, signal, errors, fail }: FinishingCall<Code>,
): Promise<Reply<View | ReturnType<typeof issuanceView<View>>>> {
  concerns({ issuanceId: id });
  const { seconds, headers } = waitingTime(prefer, deps.settings.waitSeconds);
  const pending = (issuance: Parameters<typeof issuanceView>[0]) =>
    accepted(issuanceView<View>(issuance, null), { ...statusLocation(id), headers });
  const known = { id, state: "queued", createdAt, finishedAt: null, errorCode: null, errorDetail: null } as const;

  const watch = deps.settlements.watch(id);
  // A request that waits for the notice does not wait for the queue: the worker may finish before the queue responds.
  const enqueued = deps.enqueueIssuance(id, { isNew });
  if (seconds === 0) {
    await enqueued;
    watch.end();
    // A repeated request still returns the result if there is one.
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
    // The response is the error that the worker stored.
    const { errorDetail: description } = issuance;
    throw fail(
      errors.find((code) => code === issuance.errorCode) ?? "issuance_failed",
      description === null ? {} : { description },
    );
  }
  if (output === "erased") throw fail("output_erased");
  const created = issuance.state === "issued" ? view(collected) : undefined;
  return created === undefined ? pending(issuance) : answered(created, headers);
}

/** Returns the address and the delay at which a client that got 202 asks again. */
export const statusLocation = (issuanceId: string) => ({
  location: `/api/issuances/${issuanceId}`,
  retryAfterSeconds: 1,
});
