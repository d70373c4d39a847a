import { createHash, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as applications from "../../db/queries/oauth/applications.ts";
import * as codes from "../../db/queries/oauth/authorization-codes.ts";
import * as sessions from "../../db/queries/sign-in/sessions.ts";
import { systemClock } from "../../runtime/clock.ts";
import { postForm } from "../support/given/authorization.ts";
import { givenUser } from "../support/given/issuing.ts";
import { startService, type RunningService } from "../support/service/service.ts";

const redirectUri = "https://client.example/back";
const rounds = 50;
const parallel = 30;

const fromNow = (seconds: number): Date => new Date(systemClock.now().getTime() + seconds * 1_000);

async function givenClient({ owner, realmId }: RunningService): Promise<string> {
  const clientId = randomUUID();
  await owner.transaction((tx) =>
    applications.create(tx, {
      clientId,
      realmId,
      type: "useragent",
      name: "test",
      clientUri: "https://client.example",
      redirectUris: [redirectUri],
      scopes: ["openid", "offline_access", "realm.read"],
      useClientSecret: false,
      requirePkce: false,
      createdBy: "test",
      secretHash: null,
      at: systemClock.now(),
    }),
  );
  return clientId;
}

async function givenCode({ owner, realmId }: RunningService, userId: string, clientId: string): Promise<string> {
  const code = `rpc_${randomBytes(32).toString("base64url")}`;
  const sessionId = randomUUID();
  const at = systemClock.now();
  await owner.transaction(async (tx) => {
    await sessions.create(tx, {
      id: sessionId,
      realmId,
      userId,
      clientId,
      loginId: null,
      certificateId: null,
      scopes: ["openid", "offline_access", "realm.read"],
      signedInAt: at,
      at,
      expiresAt: fromNow(60),
    });
    await codes.create(tx, {
      codeHash: createHash("sha256").update(code).digest(),
      sessionId,
      redirectUri,
      codeChallenge: null,
      nonce: null,
      at,
      expiresAt: fromNow(60),
    });
  });
  return code;
}

describe("an authorization code exchanged on two apis at the same time", () => {
  test(`succeeds for at most one of ${parallel} requests, and the replay revokes the code's tokens (${rounds} rounds)`, async () => {
    const service = await startService({ kind: "postgres" });
    const ports = [service.apiPort];
    await service.startApi();
    ports.push(service.apiPort);
    const clientId = await givenClient(service);
    const userId = await givenUser(service.owner, service.realmId);

    let exchanged = 0;
    for (let round = 0; round < rounds; round++) {
      const code = await givenCode(service, userId, clientId);
      const fields = { grant_type: "authorization_code", client_id: clientId, redirect_uri: redirectUri, code };
      const answers = await Promise.all(
        Array.from({ length: parallel }, (_, index) =>
          postForm(`http://127.0.0.1:${ports[index % ports.length]}/oauth/token`, fields),
        ),
      );
      const succeeded = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status, body }) => status === 400 && body.error === "invalid_grant");
      expect(succeeded.length).toBeLessThanOrEqual(1);
      exchanged += succeeded.length;
      expect(succeeded.length + refused.length).toBe(parallel);
      for (const { body } of succeeded) {
        const refresh = { grant_type: "refresh_token", client_id: clientId, refresh_token: body.refresh_token };
        const answer = await postForm(`http://127.0.0.1:${ports[round % 2]}/oauth/token`, refresh);
        expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
      }
    }
    expect(exchanged).toBeGreaterThan(0);
  }, 180_000);
});
