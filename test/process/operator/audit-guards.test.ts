import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { insertEntries, sealEntries } from "../../support/given/audit-chain.ts";
import { useOperator, type Ran } from "../../support/service/test-operator.ts";

const operator = useOperator();
const { database } = operator;
let realm: string;
let position: number;

beforeAll(async () => {
  realm = await operator.realm();
  const [row] = await database.owner.query<{ id: string }>(sql`select id from realms where name = ${realm}`);
  await insertEntries(database, row?.id ?? "", 20);
  await sealEntries(database, { key: operator.data.find("auditKey")! });
  position = chainOf(await operator.run(["audit", "verify", "--realm", realm])).position;
});

interface Chain {
  position: number;
  faultCount: number;
}
const chainOf = ({ json }: Ran): Chain => only(json["chains"] as Chain[]);
const guardsOf = ({ json }: Ran) => json["guards"] as { kind: string; message: string }[];
const verify = (env?: Record<string, string>): Promise<Ran> =>
  operator.run(["audit", "verify", "--realm", realm], env && { env });
const run = (statements: string) => database.owner.query(verbatim(statements));

async function doctor(): Promise<{ status: string; message: string } | undefined> {
  const { json } = await operator.run(["doctor", "--realm", realm]);
  return (json["checks"] as { name: string; status: string; message: string }[]).find(
    ({ name }) => name === "audit-guards",
  );
}

test("unchanged guards pass, and both roles see the same entries", async () => {
  const ran = await verify();
  expect([ran.code, ran.json["ok"], ran.json["comparedWithApi"]]).toEqual([0, true, true]);
  expect(guardsOf(ran)).toEqual([]);
  expect(position).toBeGreaterThan(0);
  expect(await doctor()).toMatchObject({ status: "ok" });
});

const noTrigger = (table: string) =>
  `create trigger extra before insert on ${table} for each statement execute function refuse_change()`;
const refuseChange = (body: string) =>
  `create or replace function refuse_change() returns trigger language plpgsql as $body$
begin
  ${body}
end
$body$`;
const append = (table: string, rest: string) => `create trigger ${table}_append_only ${rest}`;
const statementTrigger = (table: string) =>
  append(table, `before update or delete or truncate on ${table} for each statement execute function refuse_change()`);

const changes: [change: string, make: string, undo: string, told: RegExp][] = [
  [
    "row security that hides entries from the api",
    `alter table audit_entries enable row level security;
     create policy hide on audit_entries for select to realmpass_api using (event <> 'user_lock');
     create policy show on audit_entries to realmpass_operator using (true)`,
    "drop policy hide on audit_entries; drop policy show on audit_entries; alter table audit_entries disable row level security",
    /audit_entries has row security.*realmpass_api sees/s,
  ],
  [
    "row security that is forced",
    "alter table audit_seals force row level security",
    "alter table audit_seals no force row level security",
    /audit_seals has row security/,
  ],
  [
    "a policy that waits to be switched on",
    "create policy later on audit_heads using (true)",
    "drop policy later on audit_heads",
    /audit_heads has a policy/,
  ],
  [
    "a rule",
    "create rule quiet as on delete to audit_unsealed do instead nothing",
    "drop rule quiet on audit_unsealed",
    /audit_unsealed has a rule/,
  ],
  [
    "a child table",
    "create table more_entries () inherits (audit_entries)",
    "drop table more_entries",
    /audit_entries has a child table/,
  ],
  [
    "a parent table",
    "create table parents (realm_id bigint); alter table audit_unsealed inherit parents",
    "alter table audit_unsealed no inherit parents; drop table parents",
    /audit_unsealed has a parent table/,
  ],
  [
    "a table that is not logged",
    "alter table audit_unsealed set unlogged",
    "alter table audit_unsealed set logged",
    /audit_unsealed is no ordinary table/,
  ],
  [
    "a view in its place",
    `alter table audit_unsealed rename to audit_unsealed_kept;
     create view audit_unsealed as select * from audit_unsealed_kept;
     grant select on audit_unsealed to realmpass_operator`,
    "drop view audit_unsealed; alter table audit_unsealed_kept rename to audit_unsealed",
    /audit_unsealed is no ordinary table/,
  ],
  [
    "a table of the same name that a role sees first",
    `create schema realmpass_api authorization realmpass_api;
     create view realmpass_api.audit_entries as select * from public.audit_entries where event <> 'user_lock';
     grant select on realmpass_api.audit_entries to realmpass_api`,
    "drop schema realmpass_api cascade",
    /audit_entries is hidden by another/,
  ],
  [
    "a trigger that is switched off",
    "alter table audit_entries disable trigger audit_entries_await_sealing",
    "alter table audit_entries enable trigger audit_entries_await_sealing",
    /audit_entries_await_sealing of audit_entries is missing, switched off/,
  ],
  [
    "a trigger for replicas alone",
    "alter table audit_heads enable replica trigger audit_heads_append_only",
    "alter table audit_heads enable trigger audit_heads_append_only",
    /audit_heads_append_only of audit_heads is missing, switched off/,
  ],
  [
    "a trigger that is gone",
    "drop trigger audit_seals_append_only on audit_seals",
    statementTrigger("audit_seals"),
    /audit_seals_append_only of audit_seals is missing/,
  ],
  [
    "a trigger with a condition",
    `drop trigger audit_seals_append_only on audit_seals; ${append("audit_seals", "before update or delete or truncate on audit_seals for each statement when (false) execute function refuse_change()")}`,
    `drop trigger audit_seals_append_only on audit_seals; ${statementTrigger("audit_seals")}`,
    /audit_seals_append_only of audit_seals is missing, switched off or another one/,
  ],
  [
    "a trigger for fewer statements",
    `drop trigger audit_seals_append_only on audit_seals; ${append("audit_seals", "before update on audit_seals for each statement execute function refuse_change()")}`,
    `drop trigger audit_seals_append_only on audit_seals; ${statementTrigger("audit_seals")}`,
    /audit_seals_append_only of audit_seals is missing, switched off or another one/,
  ],
  [
    "a trigger that is none of the service's",
    noTrigger("audit_unsealed"),
    "drop trigger extra on audit_unsealed",
    /trigger extra of audit_unsealed is not one of the service's/,
  ],
  [
    "a trigger's function with another text",
    refuseChange("return null;"),
    refuseChange(
      "raise exception 'audit entries are never changed or deleted' using errcode = 'insufficient_privilege';",
    ),
    /function refuse_change is not the one/,
  ],
  [
    "a trigger's function with other rights",
    "alter function await_sealing() security invoker",
    "alter function await_sealing() security definer",
    /function await_sealing is not the one/,
  ],
  [
    "a trigger's function with another search path",
    "alter function await_sealing() set search_path = pg_temp, public",
    "alter function await_sealing() set search_path = public, pg_temp",
    /function await_sealing is not the one/,
  ],
];

describe.each(changes)("%s", (_, make, undo, message) => {
  test("is a fault for audit verify and doctor until it is undone", async () => {
    await run(make);
    try {
      const ran = await verify();
      expect(guardsOf(ran).every(({ kind }) => kind === "guard_changed")).toBe(true);
      expect(
        guardsOf(ran)
          .map(({ message }) => message)
          .join("\n"),
      ).toMatch(message);
      expect([ran.code, ran.json["ok"]]).toEqual([1, false]);
      // The chain itself is still checked to its end.
      expect(chainOf(ran).position).toBe(position);
      expect(await doctor()).toMatchObject({ status: "fail" });
    } finally {
      await run(undo);
    }
    expect(guardsOf(await verify())).toEqual([]);
    expect(await doctor()).toMatchObject({ status: "ok" });
  });
});

test("with a login that cannot act as realmpass_api, verify reports that it compared no entries with that role", async () => {
  const [login, password] = [`operator_${randomBytes(4).toString("hex")}`, randomBytes(12).toString("hex")];
  await run(`create role ${login} login password '${password}' in role realmpass_operator`);
  try {
    const url = new URL(database.url);
    url.username = login;
    url.password = password;
    const ran = await verify({ DATABASE_URL: url.href });
    expect([ran.code, ran.json["comparedWithApi"]]).toEqual([0, false]);
    expect(ran.err).toContain("may not act as realmpass_api");
  } finally {
    await run(`drop role ${login}`);
  }
});
