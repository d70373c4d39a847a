import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { authorizationOn, postForm } from "../../../support/given/authorization.ts";
import { useApi } from "../../../support/service/api.ts";

let queries = 0;
const counted = (db: Database): Database => ({
  ...db,
  query(statement) {
    queries += 1;
    return db.query(statement);
  },
});

const api = useApi({ watch: counted });
const { as, given } = api;
const { token } = authorizationOn(api);
const unknown = () => randomBytes(32).toString("base64url");

beforeEach(() => {
  queries = 0;
});

test("a token that was unknown a moment ago is refused without another query", async () => {
  const flood = as.token(unknown());
  for (let sent = 0; sent < 50; sent++) expect(await flood.get("/api/realm")).toBeError("unauthenticated");
  // A slow machine may need longer than the second that the entry is cached.
  expect(queries).toBeLessThan(25);

  queries = 0;
  const userinfo = `${api.url}/oauth/userinfo`;
  const authorization = `Bearer ${unknown()}`;
  for (let sent = 0; sent < 50; sent++) {
    expect(await postForm(userinfo, {}, { authorization })).toMatchObject({ status: 401 });
  }
  expect(queries).toBeLessThan(25);
});

test("an expired token is cached like an unknown one", async () => {
  const expired = await given.token({ realmId: api.realmId });
  await api.database.owner.query(sql`
    update access_tokens set expires_at = now() - interval '1 second' where token_hash = sha256(convert_to(${expired}, 'UTF8'))
  `);
  for (let sent = 0; sent < 50; sent++) expect(await as.token(expired).get("/api/realm")).toBeError("unauthenticated");
  expect(queries).toBeLessThan(25);
});

test("a token that another process has just issued is accepted during a flood of unknown ones", async () => {
  const other = await api.another();
  const { clientId: client_id, secret: client_secret } = await given.application({ realmId: api.realmId });
  for (let round = 0; round < 20; round++) {
    const flood = Promise.all(Array.from({ length: 20 }, () => other.as.token(unknown()).get("/api/realm")));
    const { body } = await token({ grant_type: "client_credentials", client_id, client_secret });
    expect(await other.as.token(body.access_token).get("/api/realm")).toMatchObject({ status: 200 });
    for (const answer of await flood) expect(answer).toBeError("unauthenticated");
  }
});

test("a suspended token is accepted immediately when it is valid again", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  const service = as.token(await given.token({ realmId: api.realmId, clientId }));
  const setActive = (active: boolean) =>
    api.database.owner.query(sql`update applications set active = ${active} where client_id = ${clientId}`);
  expect(await service.get("/api/realm")).toMatchObject({ status: 200 });
  await setActive(false);
  expect(await service.get("/api/realm")).toBeError("unauthenticated");
  await setActive(true);
  expect(await service.get("/api/realm")).toMatchObject({ status: 200 });
});
