import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { unconfirmedRemovalsMax } from "../../../domain/limits.ts";
import { describeWithRadius, type DeviceFiles } from "../../support/counterparts/radius.ts";
import { startServiceWithRadius, type ServiceWithRadius } from "../../support/counterparts/radius-service.ts";
import { extent } from "../../support/run/extent.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenServiceApplication } from "../../support/service/service.ts";

/** A directory's leavers at a real RADIUS server that uses OCSP. Requests have the forms of Entra and Okta. */

interface Person {
  id: string;
  name: string;
  device: DeviceFiles;
}

describeWithRadius("with a directory connected, FreeRADIUS", () => {
  let started: ServiceWithRadius;
  let directory: { token: string };
  let drawn = 0;

  beforeAll(async () => {
    started = await startServiceWithRadius();
    const { service } = started;
    const application = await givenServiceApplication(service.owner, service.realmId, ["scim"]);
    directory = { token: await service.tokenOf(application, "scim") };
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
  /** Deactivates a person in Entra's default form, with a text in place of the boolean. */
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

  /** Returns whether each device is admitted; eight devices log in at a time. */
  async function admittedOf(people: readonly Person[]): Promise<boolean[]> {
    const admitted: boolean[] = [];
    for (let at = 0; at < people.length; at += 8) {
      admitted.push(...(await Promise.all(people.slice(at, at + 8).map(({ device }) => started.admits(device)))));
    }
    return admitted;
  }

  /** Deactivates people at Entra's pace, 25 per second. */
  async function deactivateAll(people: readonly Person[]): Promise<void> {
    const beganAt = performance.now();
    for (const [index, person] of people.entries()) {
      await pause(Math.max(0, beganAt + index * 40 - performance.now()));
      await deactivate(person);
    }
  }

  const heldJob = async () => {
    const jobs = (await started.ask("GET", "/api/jobs")) as {
      id: string;
      origin: string;
      state: string;
      total: number;
    }[];
    return jobs.find(({ origin, state }) => origin === "scim" && state === "grace");
  };

  test("refuses a leaver's device two seconds after the deactivation, and admits other people's devices", async () => {
    const people = await given(3);
    expect(await admittedOf(people)).toEqual([true, true, true]);

    await deactivate(people[1]!);
    await pause(2_000);
    expect(await admittedOf(people)).toEqual([true, false, true]);
  });

  test("refuses the old device of a person who returns, and admits the person's new device", async () => {
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

  // A full run has a thousand people and takes some minutes.
  const wave = { timeout: 1_200_000 };
  test(
    "refuses only the realm's share when a directory deactivates everyone, and refuses the rest once the job is confirmed",
    wave,
    async () => {
      // Moves earlier leavers to another hour, so they do not count.
      const { owner, realmId } = started.service;
      await owner.query(sql`update scim_users set offboarded_at = offboarded_at - interval '2 hours'`);
      const people = await given(extent(1_000, 0.12));
      const realm = only(
        await owner.query<{ active: number; percent: number }>(sql`
        select (select count(*)::integer from users u where u.realm_id = r.id and u.offboarded_at is null) as active,
               r.offboarding_share_percent as percent
          from realms r
         where r.id = ${realmId}
      `),
      );
      const share = Math.max(unconfirmedRemovalsMax, Math.floor((realm.active * realm.percent) / 100));
      const [gone, held] = [people.slice(0, share), people.slice(share)];

      await deactivateAll(people);
      const job = await heldJob();
      expect(job).toMatchObject({ total: held.length });
      await pause(2_000);
      expect(new Set(await admittedOf(gone))).toEqual(new Set([false]));
      expect(new Set(await admittedOf(held))).toEqual(new Set([true]));

      const undo = await started.service.call("POST", `/api/jobs/${job!.id}/undo`, { confirmTotal: held.length });
      expect(undo.status).toBeLessThan(300);
      await eventually(async () => {
        const [left] = await owner.query(sql`
        select count(*)::integer as out from users where id = any(${held.map(({ id }) => id)}::bigint[]) and offboarded_at is not null
      `);
        expect(left).toEqual({ out: 0 });
      });
      expect(new Set(await admittedOf(held))).toEqual(new Set([true]));

      await deactivateAll(held);
      const second = await heldJob();
      expect(second).toMatchObject({ total: held.length });
      const start = await started.service.call("POST", `/api/jobs/${second!.id}/start`, { confirmTotal: held.length });
      expect(start.status).toBeLessThan(300);
      await eventually(async () => {
        expect(await started.ask("GET", `/api/jobs/${second!.id}`)).toMatchObject({ state: "completed" });
      });
      await pause(2_000);
      expect(new Set(await admittedOf(held))).toEqual(new Set([false]));
    },
  );
});
