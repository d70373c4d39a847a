import type { Db } from "../../../db/client.ts";
import { sql, type Sql } from "../../../db/sql.ts";

/** Returns the result of `read`, and Postgres' plan of each statement that `read` runs, in order. */
export async function plansOf<Answer>(
  db: Db,
  read: (watched: Db) => Promise<Answer>,
): Promise<{ answer: Answer; plans: string[] }> {
  const statements: Sql[] = [];
  const answer = await read({
    query: (statement) => {
      statements.push(statement);
      return db.query(statement);
    },
  });
  const plans = await Promise.all(
    statements.map(async (statement) => {
      const lines = await db.query<{ "QUERY PLAN": string }>(sql`explain ${statement}`);
      return lines.map((line) => line["QUERY PLAN"]).join("\n");
    }),
  );
  return { answer, plans };
}
