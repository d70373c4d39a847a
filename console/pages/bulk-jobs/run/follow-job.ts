import { api, answerOf } from "../../../api/api-client.ts";
import { consolePath } from "../../../api/page-settings.ts";
import { isFinal, type Job } from "../job.ts";

/** After this time without an event, the page requests the job: a proxy may buffer the events. */
const quietMs = 10_000;
const offlineMs = 3_000;
/** After polling for this time, the page tries to listen for events again. */
const listenAgainMs = 20_000;

interface Listener {
  hear: (job: Job) => void;
  /** Called with true if the service can be reached, else with false. */
  reach: (reached: boolean) => void;
}

/**
 * Reports changes of a job until the job has ended: by server-sent events and, if a proxy blocks them, by polling as
 * often as `Retry-After` allows. Returns a function that stops the reports.
 */
export function followJob(id: string, { hear, reach }: Listener): () => void {
  const controller = new AbortController();
  let source: EventSource | undefined;
  let listenedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const stop = () => {
    controller.abort();
    source?.close();
    clearTimeout(timer);
  };
  const take = (job: Job) => {
    if (controller.signal.aborted) return;
    reach(true);
    hear(job);
    if (isFinal(job)) stop();
  };
  const askAfter = (ms: number) => {
    clearTimeout(timer);
    if (!controller.signal.aborted) timer = setTimeout(() => void ask(), ms);
  };

  const ask = async () => {
    try {
      const call = api.GET("/api/jobs/{id}", { params: { path: { id } }, signal: controller.signal });
      const [{ data: job }, { response }] = await Promise.all([answerOf(call), call]);
      take(job);
      const listening = source?.readyState === EventSource.OPEN;
      if (!listening && performance.now() - listenedAt > listenAgainMs) listen();
      askAfter(listening ? quietMs : (Number(response.headers.get("Retry-After")) || 1) * 1_000);
    } catch {
      if (!controller.signal.aborted) reach(false);
      askAfter(offlineMs);
    }
  };

  const listen = () => {
    source?.close();
    listenedAt = performance.now();
    const opened = new EventSource(`${consolePath}/api/jobs/${encodeURIComponent(id)}/events`);
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      take(JSON.parse(data) as Job);
      askAfter(quietMs);
    };
    opened.onerror = () => {
      askAfter(1_000);
    };
    source = opened;
    askAfter(quietMs);
  };

  listen();
  return stop;
}
