import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { install } from "../../support/apps/app.ts";
import { personAt } from "../../support/apps/person.ts";
import { windows } from "../../support/apps/windows.ts";
import { userAgents } from "../../support/browser/user-agents.ts";
import { givenRows } from "../../support/given/given.ts";
import { givenLocalAccount, type LocalAccount } from "../../support/given/local-account.ts";
import { eventually } from "../../support/run/eventually.ts";
import { startTcpProxy } from "../../support/run/tcp-proxy.ts";
import { startService, type RunningService } from "../../support/service/service.ts";

let service: RunningService;
let address: string;
let account: LocalAccount;

beforeAll(async () => {
  const target = { host: "127.0.0.1", port: 0 };
  const network = await startTcpProxy(target);
  address = `http://127.0.0.1:${network.port}`;
  service = await startService({ kind: "postgres", worker: false, env: { REALMPASS_BASE_URL: address } });
  target.port = service.apiPort;
  const api = { database: { owner: service.owner }, given: givenRows(() => service.owner), realmId: service.realmId };
  account = await givenLocalAccount(api as Parameters<typeof givenLocalAccount>[0], { username: "mia" });
  await service.owner.query(sql`
    update realms set onboarding_apps = true, ssids = '{eduroam}', radius_cn = 'radius.demo.example'
     where id = ${service.realmId}
  `);
});

const issuances = () =>
  service.owner.query<{ id: string; status: string }>(
    sql`select id, status from issuances where user_id = ${account.id}`,
  );

test("while no worker runs, an app gets an answer in time, and its next request gets the file of the same issuance", async () => {
  const [realm] = await service.owner.query<{ name: string }>(
    sql`select name from realms where id = ${service.realmId}`,
  );
  const person = personAt(address, { username: account.username, userAgent: userAgents.windows });
  // The app gives up after 8 s, and then shows no reason.
  const app = install(
    { ...windows, address: (typed) => typed },
    { browse: person.browse, now: () => systemClock.now() },
  );
  const endpoints = await app.discover(`${address}/letswifi/${realm?.name ?? ""}`);
  const token = await app.redeem(endpoints, await app.authorize(endpoints));

  for (let tries = 0; tries < 2; tries += 1) {
    const late = await app.post(endpoints, token);
    expect(late).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
    expect(JSON.parse(late.body.toString())).toMatchObject({ error: "temporarily_unavailable" });
  }
  const waiting = await issuances();
  expect(waiting).toMatchObject([{ status: "queued" }]);

  await service.startWorker();
  const file = await eventually(async () => {
    const answer = await app.post(endpoints, token);
    expect(answer.status).toBe(200);
    return answer.body;
  });
  expect(windows.read(file, systemClock.now())).toMatchObject({ ssids: ["eduroam"] });
  expect(await issuances()).toEqual([{ id: waiting[0]?.id, status: "issued" }]);
  expect((await app.post(endpoints, token)).body).toEqual(file);
});
