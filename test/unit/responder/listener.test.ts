import { expect, test } from "vitest";
import { errorAnswer } from "../../../responder/answer.ts";
import { startListener } from "../../../responder/listener.ts";
import { atEnd } from "../../support/run/at-end.ts";
import { encodeOcspRequest } from "../../support/pki/ocsp.ts";

test("a request that could not be answered leaves its place to the next one", async () => {
  const outcomes: string[] = [];
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
  });
  atEnd(() => listener.close());
  const ask = () =>
    fetch(`http://127.0.0.1:${listener.port}/ocsp/1`, {
      method: "POST",
      headers: { "content-type": "application/ocsp-request" },
      body: new Uint8Array(encodeOcspRequest([])),
    });

  for (let request = 0; request < 3; request += 1) await expect(ask()).rejects.toThrow();
  expect((await ask()).status).toBe(200);
  expect(outcomes).toEqual(["unauthorized"]);
});
