import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { describeWithRadius, type DeviceFiles } from "../../support/counterparts/radius.ts";
import { startServiceWithRadius, type ServiceWithRadius } from "../../support/counterparts/radius-service.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenServiceApplication } from "../../support/service/service.ts";

/** A directory's leavers at a real RADIUS server that asks OCSP. Requests are in the forms of Entra and Okta. */

interface Person {
  id: string;
  name: string;
  device: DeviceFiles;
}

describeWithRadius("with a directory connected, FreeRADIUS", () => {
  let started: ServiceWithRadius;
  let directory: { clientId: string; token: string };
  let drawn = 0;

  beforeAll(async () => {
    started = await startServiceWithRadius();
    const { service } = started;
    const application = await givenServiceApplication(service.owner, service.realmId, ["scim"]);
    directory = { clientId: application.clientId, token: await service.tokenOf(application, "scim") };
  });
  afterAll(() => started.radius.stop());

  const scim = (method: string, path: string, body?: unknown) =>
    started.service.call(method, `/scim/v2${path}`, body, { authorization: `Bearer ${directory.token}` });
  const post = (name: string) =>
    scim("POST", "/Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      externalId: name,
      userName: `${name}@staff.example`,
      active: true,
    });
  /** Entra's default form, with a text for the boolean. */
  const deactivate = async ({ id }: Person): Promise<void> => {
    const answer = await scim("PATCH", `/Users/${id}`, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "Replace", path: "active", value: "False" }],
    });
    expect(answer).toMatchObject({ status: 200, body: { active: false } });
  };

  async function setUp(id: string): Promise<DeviceFiles> {
    const wanted = { format: "pkcs12", deviceType: "Windows" };
    const { data } = (await started.ask("POST", `/api/user/${id}/profiles/laptop`, wanted)) as { data: string };
    return { pkcs12: Buffer.from(data, "base64") };
  }

  async function given(count: number): Promise<Person[]> {
    const people: Person[] = [];
    for (let left = count; left > 0; left--) {
      const name = `staff-${++drawn}`;
      const answer = await post(name);
      expect(answer.status).toBe(201);
      const id = String(answer.body["id"]);
      people.push({ id, name, device: await setUp(id) });
    }
    return people;
  }

  const admittedOf = (people: readonly Person[]) => Promise.all(people.map(({ device }) => started.admits(device)));

  /** Lets a directory have used up the number of people whose devices it may take within this hour. */
  const useUpShare = () =>
    started.service.owner.query(sql`
      with gone as (
        insert into users (realm_id, pairwise_id, created_at)
        select ${started.service.realmId}, 'gone-' || n, now() from generate_series(1, 100) as n
        returning id, pairwise_id
      )
      insert into scim_users (user_id, realm_id, client_id, external_id, user_name, active, offboarded_at, created_at, updated_at)
      select id, ${started.service.realmId}, ${directory.clientId}, pairwise_id, pairwise_id, false, now(), now(), now() from gone
    `);
  const heldJob = async () => {
    const jobs = (await started.ask("GET", "/api/jobs")) as {
      id: string;
      origin: string;
      state: string;
      total: number;
    }[];
    return jobs.find(({ origin, state }) => origin === "scim" && state === "grace");
  };

  test("refuses a leaver's device two seconds after the directory's answer, and admits the others", async () => {
    const people = await given(3);
    expect(await admittedOf(people)).toEqual([true, true, true]);

    await deactivate(people[1]!);
    await pause(2_000);
    expect(await admittedOf(people)).toEqual([true, false, true]);
  });

  test("refuses the old device of a person who comes back, and admits a new one", async () => {
    const [person] = (await given(1)) as [Person];
    await deactivate(person);

    const again = await post(person.name);
    expect(again).toMatchObject({ status: 201, body: { id: person.id, active: true } });
    expect(await started.admits(await setUp(person.id))).toBe(true);
    await eventually(async () => {
      expect(await started.admits(person.device)).toBe(false);
    });
    expect(await post(person.name)).toMatchObject({ status: 409, body: { scimType: "uniqueness" } });
  });

  test("admits held people's devices, also once they are taken back, and refuses them once they are confirmed", async () => {
    await useUpShare();
    const people = await given(3);
    for (const person of people) await deactivate(person);
    const job = await heldJob();
    expect(job).toMatchObject({ total: 3 });
    await pause(2_000);
    expect(await admittedOf(people)).toEqual([true, true, true]);

    expect((await started.service.call("POST", `/api/jobs/${job!.id}/undo`)).status).toBeLessThan(300);
    await eventually(async () => {
      for (const { id } of people) {
        expect(await started.ask("GET", `/api/user/${id}/provisioning`)).toMatchObject({ offboarding: null });
      }
    });
    expect(await admittedOf(people)).toEqual([true, true, true]);

    for (const person of people) await deactivate(person);
    const second = await heldJob();
    expect(second).toMatchObject({ total: 3 });
    const start = await started.service.call("POST", `/api/jobs/${second!.id}/start`, { confirmTotal: 3 });
    expect(start.status).toBeLessThan(300);
    await eventually(async () => {
      expect(await admittedOf(people)).toEqual([false, false, false]);
    });
  });
});
