import { send } from "../../../api/api-client.ts";
import type { JobRow } from "../job.ts";

/** Reads the first rows of a job that failed or would fail, in the order of its file, and stops at `max`. */
export async function readProblems(
  id: string,
  { max, signal }: { max: number; signal: AbortSignal },
): Promise<JobRow[]> {
  const response = await send(`/api/jobs/${encodeURIComponent(id)}/results?status=failed`, {
    headers: { Accept: "application/x-ndjson" },
    signal,
  });
  const rows: JobRow[] = [];
  for await (const line of linesOf(response)) {
    rows.push(JSON.parse(line) as JobRow);
    if (rows.length >= max) break;
  }
  return rows;
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = `${rest}${decoder.decode(value, { stream: !done })}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
      if (done) break;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
