import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/**
 * A test of a sign-in: nobody is signed in, and the person who started the test sees what the identity provider sends.
 */
export interface SignInTest {
  id: string;
  realmId: string;
  userId: string;
  /** The tested draft; null: the sign-in in use. */
  draftVersion: string | null;
  /** Null: the test has not ended. */
  passed: boolean | null;
  /** The report, sealed for {@link reportContext}; null: the test has not ended. */
  sealedReport: Buffer | null;
}

/** Returns the context that a test's report is sealed for: this table, this row. */
export const reportContext = (id: string): string => `sign_in_tests/${id}/sealed_report`;

const columns = sql`
  id, realm_id as "realmId", user_id as "userId", draft_version as "draftVersion", passed,
  sealed_report as "sealedReport"`;

/** Stores a new test. Removes the same person's other tests, except tests that have passed. */
export async function create(
  tx: Db,
  test: Pick<SignInTest, "id" | "realmId" | "userId" | "draftVersion"> & { expiresAt: Date },
): Promise<void> {
  const { id, realmId, userId, draftVersion, expiresAt } = test;
  await tx.query(sql`
    delete from sign_in_tests where realm_id = ${realmId} and user_id = ${userId} and passed is not true
  `);
  await tx.query(sql`
    insert into sign_in_tests (id, realm_id, user_id, draft_version, expires_at)
    values (${id}, ${realmId}, ${userId}, ${draftVersion}, ${expiresAt})
  `);
}

/** Returns an unexpired test that this person started. */
export async function find(
  db: Db,
  { id, realmId, userId, at }: { id: string; realmId: string; userId: string; at: Date },
): Promise<SignInTest | undefined> {
  return first(
    await db.query<SignInTest>(sql`
      select ${columns}
        from sign_in_tests
       where id = ${id} and realm_id = ${realmId} and user_id = ${userId} and expires_at > ${at}
    `),
  );
}

/** Ends a test that has not ended. The report is kept until the test expires. */
export async function finish(
  db: Db,
  { id, realmId, passed, sealedReport }: { id: string; realmId: string; passed: boolean; sealedReport: Uint8Array },
): Promise<void> {
  await db.query(sql`
    update sign_in_tests
       set passed = ${passed}, sealed_report = ${sealedReport}
     where id = ${id} and realm_id = ${realmId} and passed is null
  `);
}

/** Returns whether a version of the realm's draft has passed a test, no matter who ran it. */
export async function hasPassed(
  db: Db,
  { realmId, draftVersion, at }: { realmId: string; draftVersion: string; at: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from sign_in_tests
     where realm_id = ${realmId} and draft_version = ${draftVersion} and passed and expires_at > ${at}
     limit 1
  `);
  return rows.length > 0;
}
