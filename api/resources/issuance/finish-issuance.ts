import { DatabaseUnavailable } from "../../../db/outage.ts";
import { isErrorCode, ServiceError } from "../../../domain/errors.ts";
import type { CollectedIssuance } from "../../contract/views/collected-issuance.ts";
import type { IncomingCall } from "../../contract/endpoint.ts";
import { waitingTime } from "../../contract/prefer.ts";
import { accepted, answered, type Reply } from "../../contract/reply.ts";
import { issuanceView } from "../../contract/views/issuance-view.ts";
import { enqueueIssuance } from "./enqueue-issuance.ts";

interface Accepted<View> {
  id: string;
  /** False for a repeat of an earlier request, which may be settled by now. */
  isNew: boolean;
  createdAt: Date;
  /** The creation's answer; undefined when there is none to give. */
  view: (collected: CollectedIssuance) => View | undefined;
}

/**
 * Puts an accepted issuance on the queue, waits as long as the client would have it, and answers: the created profile,
 * why there is none, or 202 with where to ask. Once an issuance is accepted, no outage takes it back.
 */
export async function finishIssuance<View>(
  { id, isNew, createdAt, view }: Accepted<View>,
  { deps, prefer, log, signal }: Pick<IncomingCall, "deps" | "prefer" | "log" | "signal">,
): Promise<Reply<View | ReturnType<typeof issuanceView<View>>>> {
  const { seconds, headers } = waitingTime(prefer, deps.settings.waitSeconds);
  const pending = (issuance: Parameters<typeof issuanceView>[0]) =>
    accepted(issuanceView<View>(issuance, null), { ...statusLocation(id), headers });
  const known = { id, state: "queued", createdAt, finishedAt: null, errorCode: null } as const;

  const watch = deps.settlements.watch(id);
  await enqueueIssuance(id, deps, log);
  if (seconds === 0) {
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
  if (issuance.state === "failed") throw storedError(issuance.errorCode);
  if (output === "erased") throw new ServiceError("output_erased");
  const created = issuance.state === "issued" ? view(collected) : undefined;
  return created === undefined ? pending(issuance) : answered(created, headers);
}

/** Where a client that got 202 asks, and when. */
export const statusLocation = (issuanceId: string) => ({
  location: `/api/issuances/${issuanceId}`,
  retryAfterSeconds: 1,
});

/** The failure that a worker stored, as the answer to who waits for it. */
const storedError = (code: string | null): ServiceError =>
  new ServiceError(code !== null && isErrorCode(code) ? code : "issuance_failed");
