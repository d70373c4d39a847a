import { createParser } from "eventsource-parser";
import type { Job } from "./job.ts";

export interface JobEvent {
  id: string | undefined;
  job: Job;
}

/**
 * Yields the jobs in a stream of server-sent events (WHATWG HTML section 9.2) as they arrive. Returns when the stream
 * ends; throws if it breaks off, or if nothing, not even a comment, arrives for `silenceMs`.
 */
export async function* jobEvents(
  body: ReadableStream<Uint8Array>,
  { silenceMs }: { silenceMs: number },
): AsyncGenerator<JobEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events: JobEvent[] = [];
  const parser = createParser({
    onEvent({ id, data }) {
      const job = jobOf(data);
      if (job !== undefined) events.push({ id, job });
    },
  });
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silenceMs);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns the job in an event, if it contains one. */
function jobOf(data: string): Job | undefined {
  try {
    const value = JSON.parse(data) as Partial<Job> | null;
    return typeof value?.id === "string" && typeof value.state === "string" ? (value as Job) : undefined;
  } catch {
    return undefined;
  }
}

async function withinSilence<Result>(promise: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error("silence"));
    }, ms);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
