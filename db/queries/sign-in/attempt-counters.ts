import type { Db } from "../../client.ts";
import { verbatim } from "../../sql.ts";

/** A statement of rate-limiter-flexible: its text and its values. */
interface LimiterStatement {
  text: string;
  values: readonly unknown[];
}

/** Returns the part of a pool that rate-limiter-flexible needs to keep its counts in the table `guesses`. */
export const storeClient = (db: Db) => ({
  async query({ text, values }: LimiterStatement): Promise<{ rows: object[]; rowCount: number }> {
    const rows = await db.query(verbatim(text, values));
    return { rows, rowCount: rows.length };
  },
});
