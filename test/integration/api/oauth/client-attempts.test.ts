import { beforeAll, describe, expect, test } from "vitest";
import { useApi, type ApiAnswer } from "../../../support/service/api.ts";
import { postForm } from "../../../support/given/authorization.ts";

const proxy = "127.0.0.1";
const api = useApi({ settings: { trustedProxies: proxy } });
const { given } = api;

let urls: readonly string[];
beforeAll(async () => {
  urls = [api.url, (await api.another()).url];
});

let addresses = 0;
const newAddress = (): string => `198.51.100.${++addresses}`;

/** Sends a request to one of two processes, in turn. */
let turn = 0;
const post = (path: string, fields: Record<string, string>, address: string): Promise<ApiAnswer> =>
  postForm(`${urls[turn++ % urls.length]}${path}`, fields, { "X-Forwarded-For": address });

/** Sends attempts one after another; returns how many got the usual response before the first 429. */
async function refusedUntilSlowedDown(guess: () => Promise<ApiAnswer>, usual: number): Promise<number> {
  for (let count = 0; count < 300; count++) {
    const answer = await guess();
    if (answer.status === usual) continue;
    expect(answer).toMatchObject({
      status: 429,
      headers: { "retry-after": expect.stringMatching(/^\d+$/) },
      body: { error: "slow_down", error_description: expect.any(String) },
    });
    const retryAfter = Number(answer.headers["retry-after"]);
    expect(retryAfter).toBeGreaterThan(40);
    expect(retryAfter).toBeLessThanOrEqual(60);
    return count;
  }
  throw new Error("nobody slowed it down");
}

describe.each(["/oauth/token", "/oauth/revoke", "/oauth/introspect"])("guesses of a client's secret at %s", (path) => {
  test.each(["registered", "unknown"])("are limited to twenty a minute for each address (%s client)", async (which) => {
    const { clientId } = await given.application({ realmId: api.realmId });
    const fields = {
      grant_type: "client_credentials",
      token: "x",
      client_id: which === "unknown" ? "nobody" : clientId,
      client_secret: "wrong",
    };
    const address = newAddress();
    expect(await refusedUntilSlowedDown(() => post(path, fields, address), 401)).toBe(20);
    expect((await post(path, fields, newAddress())).status).toBe(401);
  });
});

test("a client with the right secret is not slowed by wrong guesses of the secret, and its successes do not count", async () => {
  const { clientId: client_id, secret: client_secret } = await given.application({ realmId: api.realmId });
  const address = newAddress();
  const right = { grant_type: "client_credentials", client_id, client_secret };
  for (let count = 0; count < 25; count++) expect((await post("/oauth/token", right, address)).status).toBe(200);
  const wrong = { ...right, client_secret: "wrong" };
  expect(await refusedUntilSlowedDown(() => post("/oauth/token", wrong, address), 401)).toBe(20);
  expect((await post("/oauth/token", right, address)).status).toBe(200);
});

test("guesses of guest tokens are limited to thirty a minute for each address, and a real token is not slowed", async () => {
  const address = newAddress();
  const guess = (guest_token: string) => post("/oauth/token", { grant_type: "guest_token", guest_token }, address);
  expect(await refusedUntilSlowedDown(() => guess("rpg_unknown"), 400)).toBe(30);
  const { token } = await given.guestAccount({ realmId: api.realmId });
  expect((await guess(token)).status).toBe(200);
});

test("a malformed request is not counted as a guess", async () => {
  const address = newAddress();
  for (let count = 0; count < 40; count++) {
    expect((await post("/oauth/token", { grant_type: "guest_token" }, address)).status).toBe(400);
    expect((await post("/oauth/token", { grant_type: "client_credentials" }, address)).status).toBe(400);
  }
});
