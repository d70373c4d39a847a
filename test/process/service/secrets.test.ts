import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { sql, verbatim } from "../../../db/sql.ts";
import type { QueueBackend } from "../../../runtime/queue/queues.ts";
import { decryptKeySync } from "../../../worker/keys/encrypted-key.ts";
import { answerOf, authorizationOn, drawPkce, postForm } from "../../support/given/authorization.ts";
import { createBrowserSession } from "../../support/browser/browser-session.ts";
import { givenRows } from "../../support/given/given.ts";
import { givenUser, testPassphrase } from "../../support/given/issuing.ts";
import { givenLocalAccount, testPassword } from "../../support/given/local-account.ts";
import { startService, type RunningService } from "../../support/service/service.ts";
import { describeWithTool } from "../../support/run/tools.ts";

/** Returns every form in which a secret could be stored. */
const forms = (secret: string | Buffer): string[] => {
  const octets = typeof secret === "string" ? Buffer.from(secret) : secret;
  return [
    octets.toString("latin1"),
    octets.toString("hex"),
    octets.toString("base64").slice(0, -4),
    octets.toString("base64url").slice(0, -4),
  ];
};

/** Returns every value of every table, binary ones as hexadecimal, as a reader with all rights would see it. */
async function everythingInPostgres({ owner }: RunningService): Promise<string> {
  const tables = await owner.query<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'bullmq')
  `);
  const contents = await Promise.all(
    tables.map(({ name }) => owner.query<{ row: string }>(verbatim(`select t::text as row from ${name} t`))),
  );
  return contents.flatMap((rows) => rows.map(({ row }) => row)).join("\n");
}

async function everythingInRedis(url: string): Promise<string> {
  const redis = new Redis(url);
  const found: string[] = [];
  for (const key of await redis.keys("*")) {
    // Redis returns null for a key that has expired since it was listed; the declared type lacks null.
    const dump = (await redis.dumpBuffer(key)) as Buffer | null;
    found.push(key, dump?.toString("latin1") ?? "");
  }
  redis.disconnect();
  return found.join("\n");
}

const processArguments = ({ api, workers }: RunningService): string =>
  [...api, ...workers].map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "latin1")).join("\n");

function behaviour(kind: QueueBackend["kind"]): void {
  test("no private key, secret, token or passphrase can be read in Postgres, the queue, the logs or process arguments", async () => {
    const service = await startService({ kind, env: { REALMPASS_LOG_LEVEL: "trace" } });
    const userId = await givenUser(service.owner, service.realmId);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        service.call("POST", `/api/user/${userId}/profiles/device${index}`, {
          format: "pem",
          deviceType: index % 2 ? "Linux" : "iOS",
          keyType: index < 2 ? "rsa-2048" : "ec-p256",
        }),
      ),
    );
    // Stops the workers, so that the queue contains waiting work when it is searched.
    for (const worker of service.workers) worker.kill("SIGSTOP");
    await service.call(
      "POST",
      `/api/user/${userId}/profiles/waiting`,
      { format: "pem", deviceType: "iOS" },
      { prefer: "respond-async" },
    );
    await service.call("GET", "/api/user?access_token=" + service.accessToken);
    const personal = await signInAndOut(service);
    const places = {
      postgres: await everythingInPostgres(service),
      ...(service.redisUrl === undefined ? {} : { redis: await everythingInRedis(service.redisUrl) }),
      logs: await service.logs(),
      arguments: processArguments(service),
    };
    for (const worker of service.workers) worker.kill("SIGCONT");

    const [issuer] = await service.owner.query<{ key: object }>(sql`select encrypted_key as key from issuer_keys`);
    const secrets: Record<string, string | Buffer> = {
      passphrase: testPassphrase,
      "client secret": service.clientSecret,
      "access token": service.accessToken,
      "issuer key": privateScalar(decryptKeySync(issuer?.key, testPassphrase)),
      ...personal,
      ...secretsOf(service),
    };
    answers.forEach(({ status, body }, index) => {
      expect(status).toBe(200);
      const { privateKey } = body.data as { privateKey: string };
      secrets[`private key ${index}`] = privateScalar(
        createPrivateKey(privateKey).export({ type: "pkcs8", format: "der" }),
      );
    });

    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(20);
      for (const [name, secret] of Object.entries(secrets)) {
        const found = forms(secret).filter((form) => text.includes(form));
        expect(found, `${name} in ${place}`).toEqual([]);
      }
    }
  });
}

/** Signs a person and a guest in, with right and wrong credentials; returns every secret that was used. */
async function signInAndOut(service: RunningService): Promise<Record<string, string>> {
  const { owner, realmId } = service;
  const url = `http://localhost:${service.apiPort}`;
  const given = givenRows(() => owner);
  const [realm, guests] = [{ given, realmId, database: { owner } }, await given.guestAccount({ realmId })];
  const person = await givenLocalAccount(realm as Parameters<typeof givenLocalAccount>[0], { username: "mia" });
  const application = await given.application({ realmId, type: "useragent", useClientSecret: true });
  const link = await given.signInLink(person);
  const { authorizeUrl, redeem } = authorizationOn({ url, given });
  const { verifier, challenge } = drawPkce();
  const wrong = "a wrong password that nobody has";

  const browser = createBrowserSession(() => [url]);
  const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
  const signIn = await browser.get(authorizeUrl(application, pkce));
  await browser.submit(signIn, { username: person.username, password: wrong });
  const consent = await browser.submit(signIn, { username: person.username, password: testPassword });
  const { code = "" } = answerOf(await browser.submit(consent, { decision: "allow" }));
  const proof = { client_secret: application.secret, code_verifier: verifier };
  const { body } = await redeem(application, code, proof);
  expect(body.refresh_token).toBeDefined();
  await redeem(application, code, { ...proof, client_secret: `${application.secret}x` });
  const guest = await postForm(`${url}/oauth/token`, { grant_type: "guest_token", guest_token: guests.token });
  await createBrowserSession(() => [url]).get(`${url}/sign-in/${link}`);

  return {
    password: testPassword,
    "wrong password": wrong,
    "application's secret": application.secret,
    "authorization code": code,
    "code verifier": verifier,
    "user's access token": body.access_token as string,
    "refresh token": body.refresh_token as string,
    "id token": body.id_token as string,
    "guest token": guests.token,
    "guest's access token": guest.body.access_token as string,
    "sign-in link": link,
    "login cookie": [...browser.cookies].find(([name]) => name.endsWith("login"))?.[1] ?? "",
  };
}

/** Returns the secrets that are in the data directory for the processes only. */
function secretsOf({ dataDirectory }: RunningService): Record<string, string | Buffer> {
  const read = (name: string): string => readFileSync(join(dataDirectory, name), "utf8").trim();
  const scalarOf = (name: string): Buffer => {
    const jwk = JSON.parse(read(name)) as { d?: string; keys?: { d?: string }[] };
    return Buffer.from(jwk.d ?? jwk.keys?.[0]?.d ?? "", "base64url");
  };
  return {
    "master key": Buffer.from(read("master-key"), "base64url"),
    "output key": scalarOf("output-private-key.json"),
    "audit key": scalarOf("audit-key.json"),
  };
}

/** Returns the private part of a key: the EC scalar, or the first RSA prime. */
function privateScalar(pkcs8: Buffer): Buffer {
  const jwk = createPrivateKey({ key: pkcs8, type: "pkcs8", format: "der" }).export({ format: "jwk" });
  return Buffer.from(jwk.p ?? jwk.d ?? "", "base64url");
}

describe("with the queue in Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "with the queue in Redis", () => {
  behaviour("redis");
});
