import { randomUUID } from "node:crypto";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { expect } from "vitest";
import { eventually } from "../run/eventually.ts";
import type { Nginx } from "./nginx.ts";
import type { RunningService } from "../service/service.ts";

/** Returns a file for onboarding with more than 64 bytes a row. */
export const onboardingFile = (rows: number): string =>
  ["pairwiseID,email"]
    .concat(Array.from({ length: rows }, (_, row) => `${randomUUID()},person.number.${row}@demo.example`))
    .join("\r\n");

/** The fields of a job that its events contain. */
interface SeenJob {
  state: string;
  total: number;
}

/** Uploads a file of people to be checked, and follows the job by its events until every row is checked. */
export async function uploadAndFollow(nginx: Nginx, service: RunningService, rows: number): Promise<SeenJob[]> {
  const headers = { authorization: `Bearer ${service.accessToken}` };
  const file = onboardingFile(rows);
  const accepted = await fetch(`${nginx.url}/api/jobs/onboarding?dryRun=true`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: file,
  });
  expect(accepted.status).toBe(202);
  const { data } = (await accepted.json()) as { data: { id: string } };

  const jobs: SeenJob[] = [];
  const request = httpRequest(`${nginx.url}/api/jobs/${data.id}/events`, {
    headers: { ...headers, accept: "text/event-stream" },
    agent: false,
  });
  request.on("response", (response: IncomingMessage) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("error", () => undefined);
    response.on("data", (piece: string) => {
      const lines = (text + piece).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data: ")) jobs.push(JSON.parse(line.slice("data: ".length)) as SeenJob);
      }
    });
  });
  request.on("error", () => undefined);
  request.end();
  try {
    // The stream stays open while the job waits to be started, so these events arrived over an open stream.
    await eventually(
      () => {
        expect(jobs.at(-1)).toMatchObject({ state: "ready", total: rows });
      },
      { withinMs: 120_000 },
    );
  } finally {
    request.destroy();
  }
  return jobs;
}
