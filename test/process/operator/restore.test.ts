import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Database } from "../../../db/client.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import type { Role } from "../../../domain/people/roles.ts";
import { sealEntries } from "../../support/given/audit-chain.ts";
import { driveJobs, givenJob, jobOf, leaveIn } from "../../support/given/bulk-jobs.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { backUp, openPatiently } from "../../support/run/database.ts";
import { useApi, type ApiAnswer, type Caller } from "../../support/service/api.ts";
import { useOperator, type Ran } from "../../support/service/test-operator.ts";

const api = useApi();
const operator = useOperator(api.database);
const { as, given } = api;

let realmId: string;
let issuerId: string;
let service: Caller;

beforeAll(async () => {
  ({ realmId, issuerId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 10 }));
  // The worker seals with this file's key: with two keys, no worker would continue the log.
  await api.startWorker({ auditKey: auditKey() });
  service = as.service({ realmId });
});

const auditKey = (): string => operator.data.find("auditKey")!;

const seal = (): Promise<void> => sealEntries(api.database, { key: auditKey() });

const done = (answer: ApiAnswer): ApiAnswer => {
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

async function profile(user: GivenUser, name = "phone"): Promise<string> {
  const wanted = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
  const { body } = done(await service.post(`/api/user/${user.id}/profiles/${name}`, wanted));
  return (body as { data: { serial: string } }).data.serial;
}

const directory = (): string => mkdtempSync(join(operator.data.path, "exports-"));

/** Writes the audit log's exports to a directory, and returns their files in order. */
async function exportTo(out: string): Promise<string[]> {
  await seal();
  const { code, err } = await operator.run(["audit", "export", "--out", out]);
  expect(code, err).toBe(0);
  return filesOf(out);
}

const filesOf = (out: string): string[] =>
  readdirSync(out)
    .sort()
    .map((name) => join(out, name));

interface Restored {
  db: Database;
  run: (argv: readonly string[]) => Promise<Ran>;
  /**
   * Returns the serial numbers of revoked certificates; `listed` returns the serial numbers of CRL entries without a
   * certificate.
   */
  revoked(): Promise<string[]>;
  listed(): Promise<string[]>;
}

/** Backs up the database; returns a function that restores the backup, as if later changes were lost. */
async function backup({ announced = true } = {}): Promise<() => Promise<Restored>> {
  const { url, drop } = await backUp(api.database);
  const db = openPatiently({ url, connectionsMax: 4 });
  atEndOfFile(async () => {
    await db.close();
    await drop();
  });
  const run = (argv: readonly string[]): Promise<Ran> => operator.run(argv, { env: { DATABASE_URL: url } });
  return async () => {
    if (announced) {
      await db.query(sql`delete from processes`);
      const { code, err } = await run(["database", "restored"]);
      expect(code, err).toBe(0);
    }
    const serials = async (table: "revocations" | "abandoned_serial_numbers"): Promise<string[]> => {
      const rows = await db.query<{ serial: string }>(
        table === "revocations"
          ? sql`select serial_number as serial from certificates where revoked_at is not null order by serial`
          : sql`select serial_number as serial from abandoned_serial_numbers order by serial`,
      );
      return rows.map(({ serial }) => serial);
    };
    return { db, run, revoked: () => serials("revocations"), listed: () => serials("abandoned_serial_numbers") };
  };
}

const replay = async (restored: Restored, files: readonly string[], ...options: string[]): Promise<Ran> =>
  restored.run(["revocations", "replay", ...files, ...options]);

const user = (): Promise<GivenUser> => given.user({ realmId });

describe("replaying changes lost after a backup", () => {
  test("again revokes a revoked profile, all profiles of an offboarded person, and all profiles of a revoked guest account", async () => {
    const [stays, loses, leaves] = [await user(), await user(), await user()];
    const account = await given.guestAccount({ realmId });
    const [good, lost, ...offboarded] = [
      await profile(stays),
      await profile(loses),
      await profile(leaves, "a"),
      await profile(leaves, "b"),
    ];
    const ofGuest = await given.profile({ realmId }, { guestAccountId: account.id });
    const restore = await backup();
    done(await service.delete(`/api/profiles/${lost}`, { reason: 1 }));
    done(await service.delete(`/api/user/${leaves.id}`));
    done(await service.delete(`/api/guest-accounts/${account.id}`));
    const files = await exportTo(directory());

    const restored = await restore();
    const before = await restored.revoked();
    expect(before).not.toContain(lost);
    const { json } = await replay(restored, files);
    expect(json).toMatchObject({ revoked: 1, offboarded: 1, guestAccounts: 1, listed: 0, byHand: {} });
    const now = await restored.revoked();
    expect(now).toEqual(expect.arrayContaining([lost, ...offboarded, ofGuest]));
    expect(now).not.toContain(good);
    const [row] = await restored.db.query(sql`
      select revocation_reason as reason, revoked_at < now() as "isBefore" from certificates where serial_number = ${lost}
    `);
    expect(row).toEqual({ reason: 1, isBefore: true });
    expect(await replay(restored, files).then(({ json: again }) => again)).toMatchObject({ revoked: 0, offboarded: 0 });
  });

  test("puts a profile made after the backup on the CRL, and does not carry out its request again", async () => {
    const person = await user();
    const restore = await backup();
    const serial = await profile(person);
    const files = await exportTo(directory());
    const restored = await restore();
    const [waiting] = await api.database.owner.query<{ id: string }>(sql`
      select issuance_id as id from certificates where serial_number = ${serial}
    `);
    await restored.db.query(sql`
      insert into issuances (id, realm_id, kind, user_id, name, format, key_type, validity_months, created_at)
      values (${waiting!.id}, ${realmId}, 'user', ${person.id}, 'phone', 'pem', 'ec-p256', 12, now())
    `);

    const { json } = await replay(restored, files);
    expect(json).toMatchObject({ listed: 1, lostProfiles: [{ serial, user: person.id, name: null }] });
    expect(await restored.listed()).toContain(serial);
    const [issuance] = await restored.db.query(sql`select status, error_code from issuances where id = ${waiting!.id}`);
    expect(issuance).toEqual({ status: "failed", error_code: "issuance_failed" });
    const [end] = await restored.db.query<{ same: boolean }>(sql`
      select a.not_after < i.not_after as same from abandoned_serial_numbers a join issuers i on i.id = a.issuer_id
       where serial_number = ${serial}
    `);
    expect(end?.same, "until its certificate ends, not its issuer").toBe(true);
  });

  test("lists a profile with the issuer that made it, or with every issuer if its entry names no existing issuer", async () => {
    const earlier = async (more: object): Promise<string> => {
      const serial = BigInt(`0x${randomUUID().replaceAll("-", "")}`).toString();
      const properties = { serial, issuance: randomUUID(), expirationTime: fromNow(60_000), ...more };
      await api.database.owner.query(sql`
        insert into audit_entries (realm_id, at, event, properties)
        values (${realmId}, now(), 'profile_create', ${JSON.stringify(properties)})
      `);
      return serial;
    };
    const restore = await backup();
    const [kept, revoked] = [await profile(await user()), await profile(await user())];
    done(await service.delete(`/api/profiles/${revoked}`));
    const [withoutIssuer, ofLostIssuer] = [await earlier({}), await earlier({ issuerID: "900000" })];
    const files = await exportTo(directory());
    const restored = await restore();
    const [other] = await restored.db.query<{ id: string }>(sql`
      insert into issuers (realm_id, certificate, fingerprint, subject, not_before, not_after, issuing, created_at)
      select realm_id, certificate, sha256(fingerprint), subject, not_before, not_after, false, now()
        from issuers
       where id = ${issuerId}
      returning id
    `);

    expect((await replay(restored, files)).json).toMatchObject({ listed: 4 });
    const issuersOf = async (serial: string): Promise<string[]> => {
      const rows = await restored.db.query<{ id: string }>(sql`
        select issuer_id as id from abandoned_serial_numbers where serial_number = ${serial} order by issuer_id
      `);
      return rows.map(({ id }) => id);
    };
    expect(await issuersOf(kept)).toEqual([issuerId]);
    expect(await issuersOf(revoked), "revoked before it was lost").toEqual([issuerId]);
    expect(await issuersOf(withoutIssuer)).toEqual([issuerId, other!.id]);
    expect(await issuersOf(ofLostIssuer)).toEqual([issuerId, other!.id]);
  });

  test("with --keep-lost, does not put a lost profile on the CRL", async () => {
    const restore = await backup();
    const serial = await profile(await user());
    const files = await exportTo(directory());
    const restored = await restore();
    const { json } = await replay(restored, files, "--keep-lost");
    expect(json).toMatchObject({ listed: 0, lostProfiles: [{ serial }] });
    expect(await restored.listed()).not.toContain(serial);
  });

  test("applies only the last change of a lock, and of an offboarding; revoked profiles stay revoked", async () => {
    const [locked, unlocked, back] = [await user(), await user(), await user()];
    const gone = await profile(back);
    const restore = await backup();
    done(await service.put(`/api/user/${locked.id}/status`, { locked: true }));
    done(await service.put(`/api/user/${unlocked.id}/status`, { locked: true }));
    done(await service.put(`/api/user/${unlocked.id}/status`, { locked: false }));
    done(await service.delete(`/api/user/${back.id}`));
    done(await service.put(`/api/user/${back.id}/undelete`));
    const files = await exportTo(directory());

    const restored = await restore();
    const { json } = await replay(restored, files);
    expect(json).toMatchObject({ locked: 1, offboarded: 0, revoked: 1, byHand: { user_unlock: 1, user_undelete: 1 } });
    const rows = await restored.db.query<{ id: string }>(sql`
      select id from users where locked_at is not null or offboarded_at is not null order by id
    `);
    expect(rows.map(({ id }) => id)).toContain(locked.id);
    expect(rows.map(({ id }) => id)).not.toContain(unlocked.id);
    expect(rows.map(({ id }) => id)).not.toContain(back.id);
    expect(await restored.revoked()).toContain(gone);
  });

  test("leaves the lock of a person made after the backup to the operator", async () => {
    const known = await user();
    const restore = await backup();
    const unknown = await user();
    for (const { id } of [known, unknown]) done(await service.put(`/api/user/${id}/status`, { locked: true }));
    const files = await exportTo(directory());

    const restored = await restore();
    expect((await replay(restored, files)).json).toMatchObject({ locked: 1, byHand: { user_lock: 1 } });
    const rows = await restored.db.query(sql`select from users where id = ${known.id} and locked_at is not null`);
    expect(rows).toHaveLength(1);
  });

  test("removes a role again that was removed and not given back, whether assigned in the realm or by a claim; replaying gives no roles", async () => {
    const person = (roles: Role[]): Promise<GivenUser> => given.user({ realmId, roles });
    const admin = as.user(await person(["administrator"]));
    const set = async ({ id }: GivenUser, roles: Role[]) => done(await admin.put(`/api/user/${id}/roles`, { roles }));
    const [taken, back, gets, leaves, returns] = [
      await person(["administrator", "auditor"]),
      await person(["help_desk"]),
      await person([]),
      await person(["administrator"]),
      await person(["guest_manager"]),
    ];
    await api.database.owner.query(sql`update users set provider_roles = '{help_desk}' where id = ${returns.id}`);
    const restore = await backup();
    await set(taken, ["auditor"]);
    await set(back, []);
    await set(back, ["help_desk"]);
    await set(gets, ["administrator"]);
    done(await service.delete(`/api/user/${leaves.id}`));
    done(await service.delete(`/api/user/${returns.id}`, { graceDays: 3 }));
    done(await service.put(`/api/user/${returns.id}/undelete`));
    const files = await exportTo(directory());

    const restored = await restore();
    const rolesOf = async ({ id }: GivenUser): Promise<Role[]> => {
      const [row] = await restored.db.query<{ roles: Role[] }>(
        sql`select roles || provider_roles as roles from users where id = ${id}`,
      );
      return row!.roles;
    };
    const all = [taken, back, gets, leaves, returns];
    expect(await Promise.all(all.map(rolesOf))).toEqual([
      ["administrator", "auditor"],
      ["help_desk"],
      [],
      ["administrator"],
      ["guest_manager", "help_desk"],
    ]);
    expect((await replay(restored, files)).json).toMatchObject({
      roles: 2,
      offboarded: 1,
      byHand: { user_role_update: 2, user_undelete: 1 },
    });
    expect(await Promise.all(all.map(rolesOf))).toEqual([["auditor"], ["help_desk"], [], [], []]);
    const entries = await restored.db.query(sql`
      select properties from audit_entries
       where event = 'user_role_update' and properties->>'userID' = ${taken.id} and (properties->>'replayed')::boolean
    `);
    expect(entries).toMatchObject([
      { properties: { before: ["administrator", "auditor"], after: ["auditor"], source: "operator" } },
    ]);
    expect((await replay(restored, files)).json).toMatchObject({ roles: 0, offboarded: 0 });
  });

  describe("of an offboarding with a grace period that was undone", () => {
    /** Records an offboarding whose grace period ends `graceEndsIn` milliseconds from now, and a reactivation now. */
    const takenBack = async (person: GivenUser, serials: string[], graceEndsIn: number): Promise<void> => {
      const properties = { userID: person.id, reason: 5, serials, revokeAt: fromNow(graceEndsIn) };
      await api.database.owner.query(sql`
        insert into audit_entries (realm_id, at, event, properties)
        values (${realmId}, now(), 'user_offboard', ${JSON.stringify(properties)}),
               (${realmId}, now(), 'user_undelete', ${JSON.stringify({ userID: person.id })})
      `);
    };

    test("revokes no profile if undone during the grace period, and all profiles if undone after it", async () => {
      const [before, after] = [await user(), await user()];
      const [good, gone] = [await profile(before), await profile(after)];
      const restore = await backup();
      await takenBack(before, [good], 24 * 3_600_000);
      await takenBack(after, [gone], -24 * 3_600_000);
      const files = await exportTo(directory());

      const restored = await restore();
      expect((await replay(restored, files)).json).toMatchObject({ revoked: 1, offboarded: 0 });
      const revoked = await restored.revoked();
      expect(revoked).not.toContain(good);
      expect(revoked).toContain(gone);
    });

    type Step = readonly [event: "user_offboard" | "user_undelete" | "job_start", properties: object];

    /** Records these entries, a minute apart. */
    const recorded = async (steps: readonly Step[]): Promise<void> => {
      for (const [index, [event, properties]] of steps.entries()) {
        await api.database.owner.query(sql`
          insert into audit_entries (realm_id, at, event, properties)
          values (${realmId}, ${fromNow((index - steps.length) * 60_000)}, ${event}, ${JSON.stringify(properties)})
        `);
      }
    };

    test.each([
      ["a grace period that was ended early", "all profiles", ["offboard", "start", "undelete"]],
      ["a grace period that was ended early after the reactivation", "no profile", ["offboard", "undelete", "start"]],
      ["a grace period that nobody ended early", "no profile", ["start", "offboard", "undelete"]],
      ["a second offboarding", "no profile", ["offboard", "undelete", "start", "again", "undelete"]],
      ["a held job that was confirmed", "all profiles", ["offboard", "start", "undelete"]],
      ["a held job that was confirmed after the reactivation", "no profile", ["offboard", "undelete", "start"]],
    ] as const)("with %s, revokes %s", async (name, revokes, steps) => {
      const person = await user();
      const serial = await profile(person);
      const restore = await backup();
      const job = randomUUID();
      const leaves = {
        ...{ userID: person.id, reason: 5, job },
        ...(name.startsWith("a held job") ? { held: true } : { revokeAt: fromNow(24 * 3_600_000) }),
      };
      const entryOf = {
        offboard: ["user_offboard", { ...leaves, serials: [serial] }],
        again: ["user_offboard", { ...leaves, serials: [], job: randomUUID() }],
        undelete: ["user_undelete", { userID: person.id }],
        start: ["job_start", { job }],
      } as const satisfies Record<string, Step>;
      await recorded(steps.map((step) => entryOf[step]));
      const isGone = revokes === "all profiles";
      const files = await exportTo(directory());

      const restored = await restore();
      expect((await replay(restored, files)).json).toMatchObject({ revoked: isGone ? 1 : 0, offboarded: 0 });
      expect((await restored.revoked()).includes(serial)).toBe(isGone);
    });
  });

  test("locks out people whose offboarding a directory's guard held; revokes their profiles only if the held job was confirmed", async () => {
    const people = [await user(), await user(), await user()] as const;
    const serials = [await profile(people[0]), await profile(people[1]), await profile(people[2])];
    const restore = await backup();
    const [open, confirmed] = [randomUUID(), randomUUID()];
    const entryOf = (index: 0 | 1 | 2, job: string): string =>
      JSON.stringify({ userID: people[index].id, reason: 5, serials: [serials[index]], held: true, job });
    await api.database.owner.query(sql`
      insert into audit_entries (realm_id, at, event, properties)
      values (${realmId}, now(), 'user_offboard', ${entryOf(0, open)}),
             (${realmId}, now(), 'user_offboard', ${entryOf(1, open)}),
             (${realmId}, now(), 'user_undelete', ${JSON.stringify({ userID: people[1].id })}),
             (${realmId}, now(), 'user_offboard', ${entryOf(2, confirmed)}),
             (${realmId}, now(), 'job_start', ${JSON.stringify({ job: confirmed })})
    `);
    const files = await exportTo(directory());

    const restored = await restore();
    expect((await replay(restored, files)).json).toMatchObject({ offboarded: 2, byHand: { user_offboard: 1 } });
    const revoked = await restored.revoked();
    expect(serials.map((serial) => revoked.includes(serial))).toEqual([false, false, true]);
    const out = await restored.db.query<{ id: string }>(sql`
      select id from users where id = any(${people.map(({ id }) => id)}::bigint[]) and offboarded_at is not null order by id
    `);
    expect(out.map(({ id }) => id)).toEqual([people[0].id, people[2].id]);
  });

  test("switches an application off again, and removes the old secret of an application that got a new secret", async () => {
    const [off, changed] = [await given.application({ realmId }), await given.application({ realmId })];
    const restore = await backup();
    const address = (clientId: string): string => `/api/applications/${clientId}`;
    done(await service.delete(address(off.clientId)));
    done(await service.post(`${address(changed.clientId)}/secret`));
    const files = await exportTo(directory());

    const restored = await restore();
    const { json } = await replay(restored, files);
    expect(json).toMatchObject({ applications: 2, byHand: { client_delete: 1, client_secret_create: 1 } });
    const secrets = await restored.db.query(sql`select from application_secrets where client_id = ${changed.clientId}`);
    expect(secrets).toEqual([]);
    const [row] = await restored.db.query(sql`select active from applications where client_id = ${off.clientId}`);
    expect(row).toEqual({ active: false });
  });

  test("deletes a static token again, and keeps the application's other token", async () => {
    const { clientId } = await given.application({ realmId, scopes: ["scim"] });
    const address = `/api/applications/${clientId}/tokens`;
    const [gone, stays] = [await service.post(address, {}), await service.post(address, {})].map(
      (answer) => done(answer).body.data as { id: string; token: string },
    );
    const restore = await backup();
    done(await service.delete(`${address}/${gone!.id}`));
    const files = await exportTo(directory());

    const restored = await restore();
    const tokens = () => restored.db.query(sql`select id from static_tokens where client_id = ${clientId} order by id`);
    expect(await tokens()).toHaveLength(2);
    expect((await replay(restored, files)).json).toMatchObject({ applications: 1, byHand: {} });
    expect(await tokens()).toEqual([{ id: stays!.id }]);
    expect((await replay(restored, files)).json).toMatchObject({ applications: 0 });
  });

  test("counts people and applications, not entries about them, and nobody who is offboarded already", async () => {
    const admin = as.user(await given.user({ realmId, roles: ["administrator"] }));
    const person = await given.user({ realmId, roles: ["auditor", "help_desk"] });
    const [leaves, left] = [await user(), await user()];
    const { clientId } = await given.application({ realmId, scopes: ["scim"] });
    const address = `/api/applications/${clientId}`;
    const tokens = [await service.post(`${address}/tokens`, {}), await service.post(`${address}/tokens`, {})].map(
      (answer) => done(answer).body.data as { id: string },
    );
    const restore = await backup();
    for (const roles of [["auditor"], []]) done(await admin.put(`/api/user/${person.id}/roles`, { roles }));
    for (const { id } of tokens) done(await service.delete(`${address}/tokens/${id}`));
    done(await service.delete(address));
    for (const { id } of [leaves, left]) done(await service.delete(`/api/user/${id}`));
    const files = await exportTo(directory());

    const restored = await restore();
    await restored.db.query(sql`update users set offboarded_at = now() where id = ${left.id}`);
    const { json } = await replay(restored, files);
    expect(json).toMatchObject({ roles: 1, applications: 1, offboarded: 1, byHand: { client_delete: 1 } });
  });

  test("with --dry-run, reports the same changes and makes none of them", async () => {
    const serial = await profile(await user());
    const restore = await backup();
    done(await service.delete(`/api/profiles/${serial}`));
    const files = await exportTo(directory());
    const restored = await restore();
    const { json } = await replay(restored, files, "--dry-run");
    expect(json).toMatchObject({ dryRun: true, revoked: 1 });
    expect(await restored.revoked()).not.toContain(serial);
    expect((await replay(restored, files)).json).toMatchObject({ dryRun: false, revoked: 1 });
    expect(await restored.revoked()).toContain(serial);
  });

  test("with --dry-run, counts as the replay that follows, however many transactions that needs", async () => {
    const [leaves, stays] = [await user(), await user()];
    const known = await profile(leaves);
    const restore = await backup();
    const lost = await profile(stays);
    done(await service.delete(`/api/user/${leaves.id}`, { graceDays: 3 }));
    await api.database.owner.query(sql`
      insert into audit_entries (realm_id, at, event, properties)
      select ${realmId}, now(), 'admin_login', '{}' from generate_series(1, 1100)
    `);
    done(await service.delete(`/api/profiles/${lost}`));
    done(await service.delete(`/api/profiles/${known}`));
    const files = await exportTo(directory());

    const restored = await restore();
    const { json: dry } = await replay(restored, files, "--dry-run");
    const { json: real } = await replay(restored, files);
    expect(real).toMatchObject({ listed: 1, offboarded: 1, revoked: 0 });
    expect({ ...dry, dryRun: false }).toEqual(real);
    // Control: the entries about each profile were replayed in different transactions.
    const slices = await restored.db.query(sql`
      select from audit_entries where realm_id = ${realmId} and event = 'revocation_replay'
    `);
    expect(slices).toHaveLength(2);
  });

  test("accepts consecutive files as one export, and replays the first file alone", async () => {
    const [first, second] = [await profile(await user()), await profile(await user(), "b")];
    const restore = await backup();
    const out = directory();
    done(await service.delete(`/api/profiles/${first}`));
    await exportTo(out);
    done(await service.delete(`/api/profiles/${second}`));
    const files = await exportTo(out);
    expect(files.map((file) => file.slice(-30))).toEqual(files.map((file) => file.slice(-30)).sort());
    expect(files).toHaveLength(2);

    const restored = await restore();
    expect((await replay(restored, files.slice(0, 1))).json).toMatchObject({ revoked: 1 });
    expect((await replay(restored, files)).json).toMatchObject({ revoked: 1 });
    expect(await restored.revoked()).toEqual(expect.arrayContaining([first, second]));
  });

  test("accepts a directory in place of its files, and fails with a missing or empty directory", async () => {
    const [first, second] = [await profile(await user()), await profile(await user(), "b")];
    const restore = await backup();
    const out = directory();
    done(await service.delete(`/api/profiles/${first}`));
    await exportTo(out);
    done(await service.delete(`/api/profiles/${second}`));
    await exportTo(out);
    writeFileSync(join(out, "notes.txt"), "no export");

    const restored = await restore();
    expect((await replay(restored, [directory()])).json).toMatchObject({ error: "file_unreadable" });
    expect((await replay(restored, [join(out, "missing")])).json).toMatchObject({ error: "file_unreadable" });
    expect((await replay(restored, [out])).json).toMatchObject({ revoked: 2 });
    expect(await restored.revoked()).toEqual(expect.arrayContaining([first, second]));
  });

  test("replays one realm from a directory with files of several realms; the command must name the realm", async () => {
    const serial = await profile(await user());
    const restore = await backup();
    const out = directory();
    done(await service.delete(`/api/profiles/${serial}`));
    const [file] = await exportTo(out);
    const [realm] = await api.database.owner.query<{ name: string }>(
      sql`select name from realms where id = ${realmId}`,
    );
    writeFileSync(file!.replace(`${realm!.name}-`, "another-"), readFileSync(file!));

    const restored = await restore();
    const unnamed = await replay(restored, [out]);
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining("name one with --realm")]);
    expect((await replay(restored, [out], "--realm", realm!.name)).json).toMatchObject({ revoked: 1 });
  });

  test("does not report entries that are in the backup as lost, sealed or not", async () => {
    await profile(await user());
    await seal();
    await profile(await user());
    const restore = await backup();
    const files = await exportTo(directory());
    const { json } = await replay(await restore(), files);
    expect(json).toMatchObject({ lost: { entries: 0 }, revoked: 0, listed: 0, lostProfiles: [] });
  });

  describe("is refused, with nothing changed,", () => {
    const givenLoss = async (options?: { announced: boolean }) => {
      const serial = await profile(await user());
      const restore = await backup(options);
      done(await service.delete(`/api/profiles/${serial}`));
      const files = await exportTo(directory());
      return { serial, restored: await restore(), files };
    };
    const refused = async (ran: Ran, error: string, { restored, serial }: { restored: Restored; serial: string }) => {
      expect([ran.code, ran.json["error"]]).toEqual([1, error]);
      expect(await restored.revoked()).not.toContain(serial);
    };

    test("for an export that was changed", async () => {
      const loss = await givenLoss();
      const [file] = loss.files;
      const changed = join(directory(), "changed.ndjson");
      writeFileSync(changed, readFileSync(file!, "utf8").replace('\\"reason\\": 0', '\\"reason\\": 4'));
      await refused(await replay(loss.restored, [changed]), "export_refused", loss);
    });

    test("for an export whose end is missing", async () => {
      const loss = await givenLoss();
      const cut = join(directory(), "cut.ndjson");
      writeFileSync(cut, `${readFileSync(loss.files[0]!, "utf8").trim().split("\n").slice(0, -1).join("\n")}\n`);
      await refused(await replay(loss.restored, [cut]), "export_refused", loss);
    });

    test("for an export whose earlier files are missing", async () => {
      const loss = await givenLoss();
      const out = directory();
      const [first] = await exportTo(out);
      await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
      const [, second] = await exportTo(out);
      expect(first).toBeDefined();
      await refused(await replay(loss.restored, [second!]), "export_incomplete", loss);
    });

    test("for an export that does not reach the kept head", async () => {
      const loss = await givenLoss();
      await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
      await seal();
      const kept = join(directory(), "head.json");
      const [realm] = await api.database.owner.query<{ name: string }>(
        sql`select name from realms where id = ${realmId}`,
      );
      writeFileSync(kept, (await operator.run(["audit", "head", "--realm", realm!.name])).out);
      await refused(await replay(loss.restored, loss.files, "--head", kept), "export_refused", loss);
    });

    test("for a database that was not marked as restored", async () => {
      const loss = await givenLoss({ announced: false });
      await refused(await replay(loss.restored, loss.files), "not_restored", loss);
    });

    test("for a file that is no export", async () => {
      const loss = await givenLoss();
      const file = join(directory(), "no.ndjson");
      writeFileSync(file, "hello\n");
      await refused(await replay(loss.restored, [file]), "not_an_export", loss);
    });
  });
});

describe("database restored", () => {
  test("continues IDs far beyond those already assigned", async () => {
    const person = await user();
    const restored = await (await backup())();
    const [next] = await restored.db.query<{ id: string }>(sql`
      insert into users (realm_id, pairwise_id, email, administrator, created_at)
      values (${realmId}, ${randomUUID()}, '', false, now()) returning id
    `);
    expect(Number(next!.id)).toBeGreaterThan(Number(person.id) + 900_000);
  });

  test("ends all sessions and sign-in credentials, because they may have ended or been used since the backup", async () => {
    const person = await user();
    const { id: sessionId } = await given.session({ user: person });
    await given.login(person);
    await given.signInLink(person);
    const { owner } = api.database;
    await owner.query(sql`
      insert into console_sessions (id, token_hash, realm_id, user_id, session_id, login_id, sealed_tokens,
                                    access_expires_at, created_at, expires_at, absolute_expires_at)
      select gen_random_uuid(), sha256('console'), realm_id, user_id, ${sessionId}, id, '', now(), now(), now(), now()
        from logins
       where user_id = ${person.id}
    `);
    await owner.query(sql`
      insert into hand_overs (id, token_hash, realm_id, user_id, device_type, name, created_at, expires_at)
      values (gen_random_uuid(), sha256('link'), ${realmId}, ${person.id}, 'iOS', 'phone', now(), now() + interval '1 hour')
    `);
    await owner.query(sql`
      insert into upstream_attempts (token_hash, realm_id, expires_at)
      values (sha256('state'), ${realmId}, now() + interval '1 hour')
    `);
    await owner.query(sql`
      insert into idempotency_keys (scope, key, fingerprint, created_at) values ('scope', 'key', sha256('it'), now())
    `);
    const rowsIn = async (db: Database): Promise<Record<string, number>> => {
      const tables =
        "access_tokens authorization_codes console_sessions hand_overs idempotency_keys logins refresh_tokens sessions " +
        "sign_in_links upstream_attempts";
      const counts = await Promise.all(
        tables.split(" ").map(async (table) => {
          const rows = await db.query(verbatim(`select from ${table} limit 1`));
          return [table, rows.length] as const;
        }),
      );
      return Object.fromEntries(counts);
    };
    const before = await rowsIn(owner);
    expect(new Set(Object.values(before)), JSON.stringify(before)).toEqual(new Set([1]));

    const restored = await (await backup())();
    expect(await rowsIn(restored.db)).toEqual(Object.fromEntries(Object.keys(before).map((table) => [table, 0])));
  });

  describe("and the reactivations of the backup that had not ended", () => {
    const states = ["running", "queued", "checking", "scheduled"] as const;

    /** Restores people whom unfinished reactivations would let in, and who were let in and offboarded again since. */
    const givenLoss = async () => {
      const people = [await user(), await user(), await user(), await user()];
      for (const { id } of people) done(await service.delete(`/api/user/${id}`));
      const restore = await backup({ announced: false });
      for (const { id } of people) {
        done(await service.put(`/api/user/${id}/undelete`));
        done(await service.delete(`/api/user/${id}`));
      }
      const files = await exportTo(directory());
      const restored = await restore();
      const { db } = restored;
      const jobIds: string[] = [];
      for (const [index, state] of states.entries()) {
        const rows = [{ userId: people[index]!.id }];
        const executeAt = state === "scheduled" ? { executeAt: fromNow(3_600_000) } : {};
        const jobId = await givenJob(db, { realmId, kind: "reactivation", rows, ...executeAt });
        if (state !== "checking") await leaveIn(db, jobId, state);
        jobIds.push(jobId);
      }
      /** Works as a worker does at the time of the scheduled job; returns each job's state. */
      const work = async (): Promise<string[]> => {
        await db.query(
          sql`update jobs set execute_at = now() where state = 'scheduled' and id = any(${jobIds}::uuid[])`,
        );
        const worker = driveJobs(() => db);
        for (const jobId of jobIds) await worker.run(jobId);
        return Promise.all(jobIds.map(async (jobId) => (await jobOf(db, jobId)).state));
      };
      const countOut = async (): Promise<number> => {
        const ids = people.map(({ id }) => id);
        const rows = await db.query(
          sql`select from users where id = any(${ids}::bigint[]) and offboarded_at is not null`,
        );
        return rows.length;
      };
      return { restored, files, jobIds, work, countOut };
    };

    test("stops them: nobody offboarded since is let in unless a person starts the job", async () => {
      const { restored, files, jobIds, work, countOut } = await givenLoss();
      await restored.db.query(sql`delete from processes`);
      expect((await restored.run(["database", "restored"])).code).toBe(0);
      expect((await replay(restored, files)).json).toMatchObject({ offboarded: 0 });
      expect(await work()).toEqual(["cancelled", "ready", "ready", "ready"]);
      expect(await countOut()).toBe(4);
      const notices = await Promise.all(jobIds.map(async (jobId) => (await jobOf(restored.db, jobId)).errorCode));
      // The third job is ready after its check, as every job that does not start by itself.
      expect(notices).toEqual([null, "restored", null, "restored"]);
    });

    test("control: they run in a database that was not marked as restored", async () => {
      const { work, countOut } = await givenLoss();
      expect(await countOut()).toBe(4);
      expect(await work()).toEqual(["completed", "completed", "completed", "completed"]);
      expect(await countOut()).toBe(0);
    });
  });

  test("is refused while a process is running", async () => {
    const restored = await (await backup({ announced: false }))();
    await restored.db.query(sql`
      insert into processes (id, kind, host, pid, version, migration, connections_max, started_at, seen_at)
      values (${randomUUID()}, 'worker', 'here', 1, '0', '0', 1, now(), clock_timestamp())
    `);
    const { code, json } = await restored.run(["database", "restored"]);
    expect([code, json["error"]]).toEqual([1, "processes_running"]);
  });

  test("is shown by `audit verify`, and is no fault once acknowledged", async () => {
    await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
    await seal();
    const restore = await backup();
    await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
    await seal();
    const [realm] = await api.database.owner.query<{ name: string }>(
      sql`select name from realms where id = ${realmId}`,
    );
    const kept = join(directory(), "head.json");
    const head = await operator.run(["audit", "head", "--realm", realm!.name]);
    writeFileSync(kept, head.out);
    const restored = await restore();
    const [entry] = await restored.db.query<{ id: string; position: string }>(sql`
      select id, properties->>'position' as position from audit_entries
       where event = 'database_restore' and realm_id = ${realmId}
    `);

    const unacknowledged = await restored.run(["audit", "verify", "--head", kept]);
    expect(unacknowledged.code).toBe(1);
    const verified = await restored.run(["audit", "verify", "--head", kept, "--acknowledged", entry!.id]);
    const { position } = head.json as { position: number };
    const lost = { from: Number(entry!.position) + 1, to: position, restore: entry!.id };
    expect(verified.json["chains"]).toContainEqual(expect.objectContaining({ faultCount: 0, lost }));
    const [other] = await restored.db.query<{ id: string }>(sql`
      select id from audit_entries where event = 'user_lock' and realm_id = ${realmId} limit 1
    `);
    expect((await restored.run(["audit", "verify", "--head", kept, "--acknowledged", other!.id])).code).toBe(1);
  });
});

describe("audit export", () => {
  test("continues after the newest file, and writes no file without new entries", async () => {
    const out = directory();
    await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
    expect(await exportTo(out)).toHaveLength(1);
    expect(await exportTo(out)).toHaveLength(1);
    await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
    const files = await exportTo(out);
    expect(files).toHaveLength(2);
    const ran = await operator.run(["audit", "verify", ...files.flatMap((file) => ["--export", file])]);
    expect([ran.code, ran.json["ok"]]).toEqual([0, true]);
    const whole = await operator.run(["audit", "verify", "--export", out]);
    expect([whole.code, whole.json]).toEqual([0, ran.json]);
    rmSync(files[0]!);
    expect((await operator.run(["audit", "verify", "--export", out])).code).toBe(1);
  });

  /** For each of these times, makes new entries, exports them to a file, and sets the file's modification time. */
  async function exportsAt(out: string, times: readonly string[]): Promise<string[]> {
    for (const [index] of times.entries()) {
      await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
      expect(await exportTo(out)).toHaveLength(index + 1);
    }
    const files = filesOf(out);
    for (const [index, file] of files.entries()) utimesSync(file, new Date(times[index]!), new Date(times[index]!));
    return files;
  }
  const positions = (file: string): string[] => /-(\d+)-(\d+)\.ndjson$/.exec(file)!.slice(1);

  test("joins the files of each past day into one file", async () => {
    const out = directory();
    const times = ["2026-01-01T23:59:00Z", "2026-01-02T00:01:00Z", "2026-01-02T12:00:00Z", "2026-01-02T23:59:00Z"];
    const parts = await exportsAt(out, times);
    await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
    const files = await exportTo(out);
    expect(files).toHaveLength(3);
    expect(files[0]).toBe(parts[0]);
    expect(positions(files[1]!)).toEqual([positions(parts[1]!)[0], positions(parts[3]!)[1]]);
    expect(statSync(files[1]!).mtime).toEqual(new Date(times[3]!));

    const { code, json } = await operator.run(["audit", "verify", "--export", out]);
    expect([code, json["ok"]]).toEqual([0, true]);
    expect(await exportTo(out)).toEqual(files);
  });

  test("reads a joined file's entries once, even if the directory still contains the files that were joined", async () => {
    const [out, copy] = [directory(), directory()];
    const parts = await exportsAt(out, ["2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"]);
    cpSync(out, copy, { recursive: true });
    expect(await exportTo(out)).toHaveLength(1);
    cpSync(out, copy, { recursive: true });
    expect(filesOf(copy)).toHaveLength(parts.length + 1);
    const read = await operator.run(["audit", "verify", "--export", copy]);
    expect([read.code, read.json]).toEqual([0, (await operator.run(["audit", "verify", "--export", out])).json]);
    // Control: the same files, named one by one, are not a chain.
    const inARow = filesOf(copy).flatMap((file) => ["--export", file]);
    expect((await operator.run(["audit", "verify", ...inARow])).code).toBe(1);
  });

  test("does not join files that lack their head or their successor", async () => {
    const day = ["2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"];
    const cut = directory();
    const files = await exportsAt(cut, day);
    writeFileSync(files[1]!, readFileSync(files[1]!, "utf8").replace(/\{"head":.*\n$/, ""));
    utimesSync(files[1]!, new Date(day[1]!), new Date(day[1]!));
    expect(await exportTo(cut)).toEqual(files);

    const gap = directory();
    const [first, second, third] = await exportsAt(gap, day);
    rmSync(second!);
    expect(await exportTo(gap)).toEqual([first, third]);
  });

  test("refuses a directory with files of a diverging log, as after a restore", async () => {
    await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
    await seal();
    const restore = await backup();
    await user().then((person) => service.put(`/api/user/${person.id}/status`, { locked: true }));
    const out = directory();
    const files = await exportTo(out);
    const { code, json } = await (await restore()).run(["audit", "export", "--out", out]);
    expect([code, json["error"]]).toEqual([1, "chain_diverged"]);
    expect(filesOf(out)).toEqual(files);
  });
});

describe("crl revoke-serial", () => {
  const revokeSerial = (...argv: string[]): Promise<Ran> =>
    operator.run(["crl", "revoke-serial", "--issuer", issuerId, ...argv]);

  test("revokes a known profile, and puts an unknown serial number on the CRL; repeating changes nothing", async () => {
    const known = await profile(await user());
    const unknown = BigInt(`0x${randomUUID().replaceAll("-", "")}`).toString();
    const hex = `0x${BigInt(unknown).toString(16)}`;
    const first = await revokeSerial("--serial", known, "--serial", hex, "--reason", "1");
    expect(first.json).toEqual({ issuerID: issuerId, serials: { [known]: "revoked", [unknown]: "listed" } });
    const again = await revokeSerial("--serial", known, "--serial", unknown);
    expect(again.json).toMatchObject({ serials: { [known]: "unchanged", [unknown]: "unchanged" } });
    const revoked = await api.database.owner.query(
      sql`select from certificates where serial_number = ${known} and revocation_reason = 1`,
    );
    expect(revoked).toHaveLength(1);
    const listed = sql`select from abandoned_serial_numbers where issuer_id = ${issuerId} and serial_number = ${unknown}`;
    expect(await api.database.owner.query(listed)).toHaveLength(1);
  });

  test.each([
    ["a word", "phone"],
    ["0", "0"],
    ["more than 20 octets", `0x1${"0".repeat(40)}`],
  ])("rejects %s", async (_, serial) => {
    expect((await revokeSerial("--serial", serial)).code).toBe(2);
  });

  test("refuses an unknown issuer, and an OCSP responder's serial number, and changes nothing", async () => {
    const unknown = "81985529216486895";
    const absent = await operator.run(["crl", "revoke-serial", "--issuer", "999999", "--serial", unknown]);
    expect(absent.json["error"]).toBe("issuer_not_found");
    await api.database.owner.query(sql`
      insert into ocsp_responders (issuer_id, serial_number, worker_id, public_key, not_before, not_after, created_at)
      values (${issuerId}, '1234567890', ${randomUUID()}, ${Buffer.from(randomUUID())}, now(), now() + interval '1 day', now())
    `);
    const responder = await revokeSerial("--serial", unknown, "--serial", "1234567890");
    expect(responder.json["error"]).toBe("serial_is_responder");
    const rows = await api.database.owner.query(
      sql`select from abandoned_serial_numbers where serial_number = ${unknown}`,
    );
    expect(rows).toEqual([]);
  });
});
