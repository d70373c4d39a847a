import { expect, test } from "vitest";
import { jobEvents } from "../../../../cli/bulk-job/job-events.ts";

const streamOf = (chunks: readonly (string | Uint8Array)[], { open = false } = {}): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
      if (!open) controller.close();
    },
  });

const read = async (stream: ReadableStream<Uint8Array>, silenceMs = 1_000): Promise<unknown[]> => {
  const found: unknown[] = [];
  for await (const { id, job } of jobEvents(stream, { silenceMs })) found.push([id, job.state]);
  return found;
};
const event = (id: number, state: string): string => `id: ${id}\ndata: {"id":"j","state":"${state}"}\n\n`;

test("each event is a job, with the id to continue from", async () => {
  expect(
    await read(streamOf(["retry: 1000\n\n", event(1, "checking"), ": still here\n\n", event(7, "completed")])),
  ).toEqual([
    ["1", "checking"],
    ["7", "completed"],
  ]);
});

test("an event that arrives octet by octet is read as one event", async () => {
  const octets = [...new TextEncoder().encode(event(1, "läuft"))].map((octet) => Uint8Array.of(octet));
  expect(await read(streamOf(octets))).toEqual([["1", "läuft"]]);
});

test.each(["data: not json\n\n", "data: null\n\n", "data: 7\n\n", 'data: {"state":"x"}\n\n', "event: other\n\n"])(
  "%j is not a job, and is skipped",
  async (text) => {
    expect(await read(streamOf([text, event(2, "running")]))).toEqual([["2", "running"]]);
  },
);

test("a silent stream is closed", async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    cancel() {
      cancelled = true;
    },
  });
  await expect(read(stream, 20)).rejects.toThrow("silence");
  expect(cancelled).toBe(true);
});
