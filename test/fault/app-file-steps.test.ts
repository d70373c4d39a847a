import { expect } from "vitest";
import { sql } from "../../db/sql.ts";
import { appsPath } from "../../domain/onboarding-apps.ts";
import { createBrowserSession, formsOf, type Visit } from "../support/browser/browser-session.ts";
import { answerOf, drawPkce, postForm } from "../support/given/authorization.ts";
import { givenRows } from "../support/given/given.ts";
import { eventually } from "../support/run/eventually.ts";
import { ended } from "../support/run/services.ts";
import { sendRequest, type ApiAnswer } from "../support/service/api.ts";
import { faultTest, hold, holdEnqueuing, holdWhere, onBothBackends, queueDepths } from "../support/service/fault.ts";
import type { RunningService } from "../support/service/service.ts";

/** docs/apps.md lists the steps that these tests interrupt. */

const app = { client_id: "app.geteduroam.win", redirect_uri: "http://[::1]:50000/" };

/** Makes a person with an app. Both keep their state when another api process takes over. */
async function givenApp(service: RunningService) {
  const [realm] = await service.owner.query<{ name: string }>(sql`
    update realms set onboarding_apps = true where id = ${service.realmId} returning name
  `);
  const path = appsPath(realm?.name ?? "");
  const origin = () => `http://127.0.0.1:${service.apiPort}`;
  const { verifier, challenge } = drawPkce();
  const given = givenRows(() => service.owner);
  const kept = new Map([["realmpass-login", await given.login(await given.user({ realmId: service.realmId }))]]);
  const browser = createBrowserSession(() => [origin()]);
  const asked = async (ask: () => Promise<Visit>): Promise<Visit> => {
    const host = new URL(origin()).host;
    for (const [name, value] of kept) browser.cookies.set(`${host} ${name}`, value);
    const visit = await ask();
    for (const [name, value] of browser.cookies) kept.set(name.split(" ")[1] ?? "", value);
    return visit;
  };
  const query = new URLSearchParams({
    ...{ response_type: "code", state: "s", code_challenge: challenge, code_challenge_method: "S256" },
    ...app,
  }).toString();
  const flows = {
    open: () => asked(() => browser.get(`${origin()}${path}oauth/authorize/?${query}`)),
    async tap(page: Visit): Promise<string> {
      const [form] = formsOf(page);
      if (form === undefined) throw new Error(page.text);
      const url = `${origin()}${new URL(form.action).pathname}`;
      const fields = { ...form.fields, decision: "allow" };
      return answerOf(await asked(() => browser.post(url, fields, { follow: false })))["code"] ?? "";
    },
    redeem: (code: string): Promise<ApiAnswer> =>
      postForm(`${origin()}${path}oauth/token/`, {
        ...{ grant_type: "authorization_code", code, code_verifier: verifier },
        ...app,
      }),
    async token(): Promise<string> {
      return String((await flows.redeem(await flows.tap(await flows.open()))).body.access_token);
    },
    fetch: (token: string): Promise<ApiAnswer> =>
      sendRequest(`${origin()}${path}api/eap-config/`, "POST", { headers: { authorization: `Bearer ${token}` } }),
    /** Requests the file until there is one, as a person would. */
    fetchUntilThere: (token: string): Promise<ApiAnswer> =>
      eventually(
        async () => {
          const answer = await flows.fetch(token);
          expect(answer.status).toBe(200);
          return answer;
        },
        { withinMs: 60_000 },
      ),
  };
  return flows;
}

const countsOf = async ({ owner }: RunningService) => {
  const [counts] = await owner.query<Record<string, number>>(sql`
    select (select count(*)::integer from app_authorizations) as authorizations,
           (select count(*)::integer from hand_overs) as "handOvers",
           (select count(*)::integer from issuances) as issuances,
           (select count(*)::integer from certificates) as certificates
  `);
  return counts;
};

const step = faultTest("postgres");

step(
  "if the api is killed before step 1 commits, nothing exists, and the same form makes one authorization",
  async (service) => {
    const person = await givenApp(service);
    const page = await person.open();
    const inserting = await hold(service, sql`lock table app_authorizations in share mode`);
    const first = person.tap(page).catch(() => undefined);
    await inserting.reached("api", "app_authorizations");
    await ended(service.api[0]!, "SIGKILL");
    await first;
    await inserting.drop();
    await inserting.release();
    expect(await countsOf(service)).toMatchObject({ authorizations: 0, handOvers: 0 });

    await service.startApi();
    expect(await person.tap(page)).toMatch(/^rpo_/);
    expect(await countsOf(service)).toMatchObject({ authorizations: 1, handOvers: 1, issuances: 0 });
  },
);

step(
  "if the api is killed after step 1, the same form returns a new code for the same authorization",
  async (service) => {
    const person = await givenApp(service);
    const page = await person.open();
    await person.tap(page);
    await ended(service.api[0]!, "SIGKILL");
    await service.startApi();
    const code = await person.tap(page);
    expect(await countsOf(service)).toMatchObject({ authorizations: 1, handOvers: 1, issuances: 0 });
    await person.fetchUntilThere(String((await person.redeem(code)).body.access_token));
    expect(await countsOf(service)).toMatchObject({ issuances: 1, certificates: 1 });
  },
);

step("if the api is killed before step 2 commits, the code still works", async (service) => {
  const person = await givenApp(service);
  const code = await person.tap(await person.open());
  const using = await hold(service, sql`select from app_authorizations for update`);
  const first = person.redeem(code).catch(() => undefined);
  await using.reached("api", "app_authorizations");
  await ended(service.api[0]!, "SIGKILL");
  await first;
  await using.drop();
  await using.release();
  await service.startApi();
  expect((await person.redeem(code)).body).toMatchObject({ token_type: "Bearer" });
});

step("if the api is killed after step 2 and the token is lost, the next tap makes one profile", async (service) => {
  const person = await givenApp(service);
  await person.redeem(await person.tap(await person.open()));
  await ended(service.api[0]!, "SIGKILL");
  await service.startApi();
  await person.fetchUntilThere(await person.token());
  expect(await countsOf(service)).toMatchObject({ authorizations: 1, issuances: 1, certificates: 1 });
});

step(
  "if the api is killed before step 3 commits, nothing is made, and the same token makes one profile",
  async (service) => {
    const person = await givenApp(service);
    const token = await person.token();
    const accepting = await hold(service, sql`lock table issuances in share mode`);
    const first = person.fetch(token).catch(() => undefined);
    await accepting.reached("api", "insert into issuances");
    await ended(service.api[0]!, "SIGKILL");
    await first;
    await accepting.drop();
    await accepting.release();
    expect(await countsOf(service)).toMatchObject({ authorizations: 1, issuances: 0 });

    await service.startApi();
    await person.fetchUntilThere(token);
    expect(await countsOf(service)).toMatchObject({ issuances: 1, certificates: 1 });
  },
);

onBothBackends((kind) => {
  faultTest(kind)(
    "if the api is killed after step 3, a worker makes the profile without a task in the queue, and the token gets its file",
    async (service) => {
      const person = await givenApp(service);
      const token = await person.token();
      const enqueuing = await holdEnqueuing(service);
      const first = person.fetch(token).catch(() => undefined);
      await enqueuing.reached(() =>
        eventually(async () => {
          expect(await countsOf(service)).toMatchObject({ issuances: 1 });
        }),
      );
      await ended(service.api.at(-1)!, "SIGKILL");
      await first;
      await enqueuing.release();
      expect(await queueDepths(service)).toMatchObject({ issuance: 0 });

      await service.startApi();
      await person.fetchUntilThere(token);
      expect(await countsOf(service)).toMatchObject({ issuances: 1, certificates: 1 });
    },
  );
});

step(
  "if the api is killed before step 4 commits, the profile exists but does not count as sent, and the token gets its file",
  async (service) => {
    const person = await givenApp(service);
    const token = await person.token();
    const sending = await holdWhere(service, "new.downloaded_at is not null", { table: "hand_overs" });
    const first = person.fetch(token).catch(() => undefined);
    await sending.reached("api", "downloaded_at");
    await ended(service.api[0]!, "SIGKILL");
    expect(await first).toBeUndefined();
    await sending.gone();
    expect(await countsOf(service)).toMatchObject({ issuances: 1, certificates: 1 });
    expect(await service.owner.query(sql`select downloaded_at from hand_overs`)).toEqual([{ downloaded_at: null }]);

    await service.startApi();
    await person.fetchUntilThere(token);
    expect(await countsOf(service)).toMatchObject({ issuances: 1, certificates: 1 });
  },
);

step(
  "if the api is killed after step 4 before it sends a byte, the same token gets the same file each time",
  async (service) => {
    const person = await givenApp(service);
    const token = await person.token();
    const sent = await person.fetchUntilThere(token);
    // Marks the file as not sent yet.
    await service.owner.query(sql`update hand_overs set downloaded_at = null`);

    const again = await hold(service, sql`lock table issuance_outputs in share mode`);
    const second = person.fetch(token).catch(() => undefined);
    await again.reached("api", "issuance_outputs");
    await ended(service.api[0]!, "SIGKILL");
    expect(await second).toBeUndefined();
    await again.drop();
    await again.release();
    const [row] = await service.owner.query(sql`select downloaded_at is not null as sent from hand_overs`);
    expect(row).toEqual({ sent: true });

    await service.startApi();
    expect((await person.fetchUntilThere(token)).text).toBe(sent.text);
    expect((await person.fetch(token)).text).toBe(sent.text);
    expect(await countsOf(service)).toMatchObject({ issuances: 1, certificates: 1 });
  },
);
