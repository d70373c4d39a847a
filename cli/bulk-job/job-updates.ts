import { setTimeout as delay } from "node:timers/promises";
import { CommandError, interruption } from "../../terminal/failure.ts";
import { ServiceError } from "../service/refusal.ts";
import { answerOf, type ServiceClient } from "../service/service-client.ts";
import { jobEvents } from "./job-events.ts";
import type { Job } from "./job.ts";

/** The service sends a comment every 15 s: the client ends the stream after three missing comments. */
const silenceMs = 45_000;
const reconnectAfterMs = 1_000;
/** After this many empty streams in a row, the client assumes that a proxy blocks streams. */
const emptyStreamsMax = 2;
const pollWaitSeconds = 5;

/**
 * Yields a job as it changes: by server-sent events or, if a proxy blocks them, by polling. Never returns; throws when
 * interrupted.
 */
export async function* jobUpdates(service: ServiceClient, id: string, interrupted: AbortSignal): AsyncGenerator<Job> {
  let lastEventId: string | undefined;
  for (let empty = 0; empty < emptyStreamsMax;) {
    const response = await openEvents(service, id, lastEventId);
    if (response === undefined) break;
    empty += 1;
    try {
      for await (const event of jobEvents(response, { silenceMs })) {
        lastEventId = event.id ?? lastEventId;
        empty = 0;
        yield event.job;
      }
    } catch {
      // The stream broke off. `lastEventId` shows where to continue.
    }
    if (interrupted.aborted) throw interruption();
    await pause(interrupted);
  }
  for (;;) {
    const startedAt = performance.now();
    yield await askForJob(service, id, pollWaitSeconds);
    // If the job cannot change, the service responds immediately.
    if (performance.now() - startedAt < reconnectAfterMs) await pause(interrupted);
  }
}

/**
 * Returns a job immediately or, with `waitSeconds`, after that time or once the job has stopped: it has ended, is
 * ready, or is in its grace period.
 */
export async function askForJob({ api }: ServiceClient, id: string, waitSeconds?: number): Promise<Job> {
  const header = waitSeconds === undefined ? {} : { Prefer: `wait=${waitSeconds}` };
  return (await answerOf(api.GET("/api/jobs/{id}", { params: { path: { id }, header } }))).data;
}

/**
 * Opens the stream of events; returns undefined if it cannot be opened, for instance because a proxy blocks it. Throws
 * if the service refuses.
 */
async function openEvents(
  service: ServiceClient,
  id: string,
  lastEventId: string | undefined,
): Promise<ReadableStream<Uint8Array> | undefined> {
  try {
    const { headers, body } = await service.stream({
      method: "GET",
      path: `/api/jobs/${encodeURIComponent(id)}/events`,
      headers: { Accept: "text/event-stream", ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }) },
    });
    if (body !== null && /^text\/event-stream\b/i.test(headers.get("Content-Type") ?? "")) return body;
    await body?.cancel();
    return undefined;
  } catch (error) {
    // A refusal such as 404 or 403 is about the job. A response that does not have the service's format comes from a
    // gateway that blocks streams.
    const isOfGateway = error instanceof ServiceError && error.code === "unexpected_answer";
    if (error instanceof CommandError && !isOfGateway) throw error;
    return undefined;
  }
}

const pause = (interrupted: AbortSignal): Promise<void> =>
  delay(reconnectAfterMs, undefined, { signal: interrupted }).catch(() => {
    throw interruption();
  });
