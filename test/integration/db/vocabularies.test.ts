import { expect, test } from "vitest";
import * as statusAskers from "../../../db/queries/certificates/status-askers.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as logins from "../../../db/queries/sign-in/logins.ts";
import * as tokenSigningKeys from "../../../db/queries/oauth/token-signing-keys.ts";
import { sql } from "../../../db/sql.ts";
import { finalJobStates, jobKinds, jobOrigins, jobStates, rowStatuses } from "../../../domain/bulk-job/job.ts";
import { certificateFormats } from "../../../domain/certificate/format.ts";
import { deviceTypes, keyTypes } from "../../../domain/certificate/device.ts";
import { issuanceStates } from "../../../domain/certificate/issuance-state.ts";
import { processKinds } from "../../../domain/process.ts";
import { profileKinds } from "../../../domain/certificate/profile.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { newPeopleFrom, pairwiseAttributes } from "../../../domain/people/directory.ts";
import { applicationTypes } from "../../../domain/people/scopes.ts";
import { unconfirmedShareMax } from "../../../domain/limits.ts";
import { logoTypes } from "../../../domain/realm-logo.ts";
import { secretKinds } from "../../../runtime/keys/held-secret.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();

/**
 * For each column with a constraint that lists its values: the values that the code writes. A job that is still being
 * uploaded is `receiving`.
 */
const vocabularies: Readonly<Record<string, readonly (string | number)[]>> = {
  "applications.type": applicationTypes,
  "certificates.device_type": deviceTypes,
  "certificates.kind": profileKinds,
  "certificates.revocation_reason": Object.values(revocationReasons),
  "hand_overs.device_type": deviceTypes,
  "hand_overs.format": certificateFormats,
  "installation_secrets.kind": secretKinds,
  "issuances.device_type": deviceTypes,
  "issuances.format": certificateFormats,
  "issuances.key_type": keyTypes,
  "issuances.kind": profileKinds,
  "issuances.status": issuanceStates,
  "job_rows.expected": ["changed", "unchanged", "failed"],
  "job_rows.status": rowStatuses,
  "jobs.kind": jobKinds,
  "jobs.origin": jobOrigins,
  "jobs.revocation_reason": Object.values(revocationReasons),
  "jobs.state": ["receiving", ...jobStates],
  "logins.method": logins.signInMethods,
  "processes.kind": processKinds,
  "realms.new_people": newPeopleFrom,
  "realms.scim_pairwise": pairwiseAttributes,
  "realms.uploaded_logo_type": logoTypes,
  "realms.upstream_set_by": realms.upstreamAuthors,
  "revocations.reason": Object.values(revocationReasons),
  "status_askers.kind": statusAskers.askedFor,
  "token_signing_keys.algorithm": tokenSigningKeys.tokenAlgorithms,
  "token_signing_keys.state": tokenSigningKeys.tokenKeyStates,
};

interface Listed {
  /** `table.column` */
  column: string;
  constraint: string;
  values: string[];
  /**
   * True if the constraint consists only of this list, so that the column accepts exactly these values; false if the
   * list names only some of the column's values.
   */
  whole: boolean;
}

/** Reads every list of values in a check: Postgres prints `in (…)` as `= ANY (ARRAY[…])`, and `not in` as `<> ALL`. */
async function readLists(): Promise<Listed[]> {
  const rows = await database.owner.query<{ table: string; constraint: string; definition: string }>(sql`
    select conrelid::regclass::text as table, conname as constraint, pg_get_constraintdef(oid) as definition
      from pg_constraint
     where connamespace = 'public'::regnamespace and contype = 'c'
     order by 1, 2
  `);
  return rows.flatMap(({ table, constraint, definition }) =>
    [...definition.matchAll(/\((\w+) (?:= ANY|<> ALL) \(ARRAY\[(.*?)\]\)\)/g)].map(
      ([list, column = "", values = ""]) => ({
        column: `${table}.${column}`,
        constraint,
        values: values.split(", ").map((value) => value.replace(/^'(.*)'::text$/, "$1")),
        whole: definition === `CHECK (${list})` && list.includes("= ANY"),
      }),
    ),
  );
}

const sorted = (values: readonly (string | number)[]): string[] => values.map(String).sort();

test("a column accepts exactly the values that the code knows", async () => {
  const taken = (await readLists()).filter(({ whole }) => whole);
  const known = Object.entries(vocabularies).map(([column, values]) => `${column}: ${sorted(values).join(", ")}`);
  expect(taken.map(({ column, values }) => `${column}: ${sorted(values).join(", ")}`).sort()).toEqual(known.sort());
});

test("a constraint about some values of a column names only values that the column can hold", async () => {
  const partial = (await readLists()).filter(({ whole }) => !whole);
  const foreign = partial.flatMap(({ column, constraint, values }) => {
    const known = sorted(vocabularies[column] ?? []);
    return values.filter((value) => !known.includes(value)).map((value) => `${column}, ${constraint}: ${value}`);
  });
  expect(foreign).toEqual([]);
  expect(sorted(partial.find(({ constraint }) => constraint === "jobs_finished")?.values ?? [])).toEqual(
    sorted(finalJobStates),
  );
});

test("a new realm's share of people that may be offboarded without confirmation is the share in the code", async () => {
  const [found] = await database.owner.query<{ percent: string }>(sql`
    select pg_get_expr(adbin, adrelid) as percent
      from pg_attrdef
     where adrelid = 'realms'::regclass
       and adnum = (select attnum from pg_attribute
                     where attrelid = 'realms'::regclass and attname = 'offboarding_share_percent')
  `);
  expect(Number(found?.percent) / 100).toBe(unconfirmedShareMax);
});
