import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../support/run/eventually.ts";
import { useApi } from "../../../support/service/api.ts";

/** Sends bytes to an api; `received` resolves with the whole response once the api has ended the connection. */
function speak(url: string, bytes: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(bytes);
  return { socket, received: text(socket).catch(() => "") };
}

/** Returns a request with a token, because without a token the api does not read the body. */
const request = (line: string, token: string, headers: string): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`;

const patient = useApi({ settings: { bodyLimits: { bodyMsMax: 200, silenceMsMax: 200 } } });
const hasty = useApi({
  connections: { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50, maxConnections: 3 },
});

const tokenOf = async ({ given, realmId }: typeof patient): Promise<string> => {
  const { clientId } = await given.application({ realmId, type: "service" });
  return given.token({ realmId, clientId });
};

test("an upload that falls silent gets a response, and its connection closes soon after", async () => {
  const { received } = speak(
    patient.url,
    `${request("POST /api/jobs/onboarding?dryRun=true", await tokenOf(patient), "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n")}c\r\npairwiseID\na\r\n`,
  );
  const answer = await received;
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain("Nothing more of the body came for 0.2 seconds.");
});

test("a JSON body that takes too long gets a response, and its connection closes soon after", async () => {
  const { received } = speak(
    patient.url,
    `${request("POST /api/applications", await tokenOf(patient), "Content-Type: application/json\r\nContent-Length: 100\r\n")}{`,
  );
  const answer = await received;
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain("The body took too long.");
});

test("a request that is refused before its body has arrived does not hold the connection while it waits for the body", async () => {
  const { received } = speak(
    patient.url,
    request("POST /api/applications", "unknown", "Content-Type: application/json\r\nContent-Length: 100\r\n"),
  );
  expect(await received).toMatch(/^HTTP\/1\.1 401 /);
});

test("unfinished headers are aborted", async () => {
  const { received } = speak(hasty.url, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
  expect(await received).toMatch(/^HTTP\/1\.1 408 /);
});

test("an unfinished request is aborted, however slowly it trickles", async () => {
  const { socket, received } = speak(
    hasty.url,
    request(
      "POST /api/jobs/onboarding?dryRun=true",
      await tokenOf(hasty),
      "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n",
    ),
  );
  const trickle = setInterval(() => socket.write("1\r\na\r\n"), 50);
  onTestFinished(() => {
    clearInterval(trickle);
  });
  expect(await received).toMatch(/^HTTP\/1\.1 408 |^$/);
});

test("a connection beyond the maximum is closed immediately; once a connection has ended, a new one is accepted", async () => {
  const held = Array.from({ length: 3 }, () => speak(hasty.url, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  await Promise.all(held.map(({ socket }) => new Promise((resolve) => socket.once("data", resolve))));
  expect(await speak(hasty.url, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").received).toBe("");

  held[0]?.socket.end();
  await held[0]?.received;
  await eventually(async () => {
    expect((await hasty.as.nobody().get("/healthz")).status).toBe(200);
  });
});
