import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { errorAnswer } from "../../../responder/answer.ts";
import { startListener } from "../../../responder/listener.ts";
import { atEnd } from "../../support/run/at-end.ts";
import { encodeOcspRequest } from "../../support/pki/ocsp.ts";

const ask = (port: number) =>
  fetch(`http://127.0.0.1:${port}/ocsp/1`, {
    method: "POST",
    headers: { "content-type": "application/ocsp-request" },
    body: new Uint8Array(encodeOcspRequest([])),
  });

test("a request that could not be answered is reported, and frees its place for the next request", async () => {
  const outcomes: string[] = [];
  const reported: unknown[] = [];
  let answers = 0;
  const listener = await startListener({
    responder: {
      answer: () => {
        answers += 1;
        return answers <= 3 ? Promise.reject(new Error("a bug")) : Promise.resolve(errorAnswer("unauthorized"));
      },
    },
    host: "127.0.0.1",
    port: 0,
    inFlightMax: 1,
    clientAddress: () => "192.0.2.1",
    withinLimit: () => true,
    onAnswer: (outcome) => outcomes.push(outcome),
    onUnexpectedError: (error) => reported.push(error),
  });
  atEnd(() => listener.close());
  for (let request = 0; request < 3; request += 1) await expect(ask(listener.port)).rejects.toThrow();
  expect((await ask(listener.port)).status).toBe(200);
  expect(outcomes).toEqual(["unauthorized"]);
  expect(reported).toEqual([new Error("a bug"), new Error("a bug"), new Error("a bug")]);
});

test("a client that goes away before its request is complete is not reported as a bug", async () => {
  const reported: unknown[] = [];
  const listener = await startListener({
    responder: { answer: () => Promise.reject(new Error("a bug")) },
    host: "127.0.0.1",
    port: 0,
    clientAddress: () => "192.0.2.1",
    withinLimit: () => true,
    onAnswer: () => undefined,
    onUnexpectedError: (error) => reported.push(error),
  });
  const socket = connect(listener.port, "127.0.0.1");
  socket.write(
    "POST /ocsp/1 HTTP/1.1\r\nHost: ocsp\r\nContent-Type: application/ocsp-request\r\n" +
      "Content-Length: 100\r\nExpect: 100-continue\r\n\r\nonly this",
  );
  // The listener has begun to read the request.
  const [continued] = (await once(socket, "data")) as [Buffer];
  expect(continued.toString()).toMatch(/^HTTP\/1\.1 100 /);
  socket.destroy();

  // By the time another request has failed, the listener has noticed that the client is gone.
  await expect(ask(listener.port)).rejects.toThrow();
  await listener.close();
  expect(reported).toEqual([new Error("a bug")]);
});
