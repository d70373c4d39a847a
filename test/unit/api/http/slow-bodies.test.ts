import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { openUpload } from "../../../../api/contract/upload.ts";
import { readBytes } from "../../../../api/http/request-body.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

const givenRequest = (): IncomingMessage => {
  const request = new IncomingMessage(new Socket());
  request.headers = { "content-type": "text/csv", "transfer-encoding": "chunked" };
  return request;
};
const ended = { code: "invalid_request", status: 400 };

test("a body that trickles in is refused after 15 seconds", async () => {
  const request = givenRequest();
  const body = expect(readBytes(request)).rejects.toMatchObject({ ...ended, message: "The body took too long." });
  for (let second = 0; second < 15; second++) {
    request.push("x");
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await body;
});

test("a body that arrives in time is read, and no timer ends it later", async () => {
  const request = givenRequest();
  const body = readBytes(request);
  request.push("x");
  await vi.advanceTimersByTimeAsync(14_000);
  request.push("y");
  request.push(null);
  expect((await body).toString()).toBe("xy");
  expect(vi.getTimerCount()).toBe(0);
});

test("an upload has no time limit if it never pauses for 30 seconds", async () => {
  const request = givenRequest();
  const { bytes } = openUpload(request, { types: { "text/csv": { schema: z.string() } }, bytesMax: 1_000 });
  let read = "";
  const whole = (async () => {
    for await (const chunk of bytes) read += chunk.toString();
  })();
  const givenUp = expect(whole).rejects.toMatchObject(ended);
  for (let part = 0; part < 10; part++) {
    request.push("x");
    await vi.advanceTimersByTimeAsync(29_000);
  }
  expect(read).toBe("x".repeat(10));
  await vi.advanceTimersByTimeAsync(1_000);
  await givenUp;
});
