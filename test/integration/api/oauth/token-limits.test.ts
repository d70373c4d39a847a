import { expect, test } from "vitest";
import * as accessTokens from "../../../../db/queries/oauth/access-tokens.ts";
import { sql } from "../../../../db/sql.ts";
import { useApi, type ApiAnswer } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";
import { fromNow } from "../../../support/given/given.ts";

const limits = { service: 1_000_000, user: 1_000_000, refused: 1_000_000 };
const api = useApi({ settings: { rateLimits: { ...limits, tokens: 30 } } });
const { given } = api;
const { token, refresh, signIn } = authorizationOn(api);

const guest = (guestToken: string) => token({ grant_type: "guest_token", guest_token: guestToken });
const isSlowedDown = ({ status, body }: ApiAnswer): boolean => status === 429 && body.error === "slow_down";

const tokensOf = async (holder: ReturnType<typeof sql>): Promise<number> => {
  const rows = await api.database.owner.query(sql`select 1 from access_tokens where ${holder}`);
  return rows.length;
};

async function exchangeOften(times: number, exchange: () => Promise<ApiAnswer>): Promise<ApiAnswer[]> {
  const answers: ApiAnswer[] = [];
  for (let tried = 0; tried < times; tried++) answers.push(await exchange());
  return answers;
}

test("a guest account has a limit of access tokens per minute; beyond it no token is stored, and other accounts are not slowed", async () => {
  const [account, other] = [
    await given.guestAccount({ realmId: api.realmId }),
    await given.guestAccount({ realmId: api.realmId }),
  ];
  const answers = await exchangeOften(60, () => guest(account.token));
  const issued = answers.filter(({ status }) => status === 200);
  const slowed = answers.filter(isSlowedDown);

  expect(issued.length + slowed.length).toBe(60);
  expect(slowed.length).toBeGreaterThan(0);
  for (const { headers } of slowed) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(await tokensOf(sql`guest_account_id = ${account.id}`)).toBe(issued.length);
  expect(await guest(other.token)).toMatchObject({ status: 200 });
});

test("a session that refreshes too often is slowed but not ended", async () => {
  const application = await given.application({ realmId: api.realmId, type: "useragent" });
  const user = await given.user({ realmId: api.realmId });
  const [one, other] = [await signIn(user, application), await signIn(user, application)];
  const answers = await exchangeOften(60, () => refresh(application, one.body.refresh_token));

  expect(answers.some(isSlowedDown)).toBe(true);
  expect(answers.every((answer) => answer.status === 200 || isSlowedDown(answer))).toBe(true);
  expect(await refresh(application, other.body.refresh_token)).toMatchObject({ status: 200 });
  expect(await api.as.token(one.body.access_token).get("/api/realm")).toMatchObject({ status: 200 });
});

test("a service can get a hundred access tokens in a row: it has no limit per minute", async () => {
  const { clientId: client_id, secret: client_secret } = await given.application({ realmId: api.realmId });
  const credentials = { grant_type: "client_credentials", client_id, client_secret };
  for (const answer of await exchangeOften(100, () => token(credentials))) expect(answer.status).toBe(200);
});

test("a request that is refused before the caller is known does not count towards any caller's limit", async () => {
  const account = await given.guestAccount({ realmId: api.realmId });
  const refused = await exchangeOften(40, () => guest("rpg_unknown"));
  expect(refused.some(({ status }) => status === 200)).toBe(false);
  expect(await guest(account.token)).toMatchObject({ status: 200 });
});

interface Holder {
  clientId: string | null;
  guestAccountId: string | null;
}

/**
 * Makes a token of a holder, this many seconds old; the first byte of its hash decides whether a service's tokens are
 * counted.
 */
const made = (holder: Holder, secondsAgo: number, hash: { first: number; last: number }) => {
  const tokenHash = Buffer.alloc(32, `${holder.clientId ?? ""}${holder.guestAccountId ?? ""}`);
  tokenHash[0] = hash.first;
  tokenHash.writeUInt32BE(hash.last, 28);
  return accessTokens.create(api.database.open("realmpass_api"), {
    ...holder,
    tokenHash,
    realmId: api.realmId,
    userId: null,
    secretHash: null,
    sessionId: null,
    certificateId: null,
    scopes: [],
    at: fromNow(-secondsAgo * 1_000),
    expiresAt: fromNow(3_600_000),
  });
};

test.each(["guest account", "service"] as const)(
  "a %s keeps its thousand newest access tokens, and other tokens of the same client stay",
  async (kind) => {
    const { owner } = api.database;
    const { clientId } = await given.application({ realmId: api.realmId });
    const account = await given.guestAccount({ realmId: api.realmId });
    const holder: Holder =
      kind === "service" ? { clientId, guestAccountId: null } : { clientId: null, guestAccountId: account.id };
    const user = await given.user({ realmId: api.realmId });
    await given.token({ realmId: api.realmId, userId: user.id, clientId });
    const condition =
      kind === "service" ? sql`client_id = ${clientId} and user_id is null` : sql`guest_account_id = ${account.id}`;
    await owner.query(sql`
      insert into access_tokens (token_hash, realm_id, client_id, guest_account_id, scopes, created_at, expires_at)
      select sha256(convert_to(${clientId} || ${account.id}::text || n, 'UTF8')), ${api.realmId}, ${holder.clientId}, ${holder.guestAccountId}, '{}',
             now() - make_interval(secs => 10 + n), now() + interval '1 hour'
        from generate_series(1, 1200) as n
    `);

    await made(holder, 5, { first: 0, last: 1 });
    expect(await tokensOf(condition)).toBe(1_000);
    const [oldest] = await owner.query<{ seconds: number }>(sql`
      select extract(epoch from now() - min(created_at))::integer as seconds from access_tokens where ${condition}
    `);
    expect(oldest?.seconds).toBeGreaterThanOrEqual(10 + 999);
    expect(oldest?.seconds).toBeLessThan(10 + 1_150);
    expect(await tokensOf(sql`user_id = ${user.id}`)).toBe(1);

    await Promise.all(Array.from({ length: 8 }, (_, number) => made(holder, 1, { first: 0, last: 2 + number })));
    await made(holder, 0, { first: 0, last: 100 });
    expect(await tokensOf(condition)).toBe(1_000);
  },
);
