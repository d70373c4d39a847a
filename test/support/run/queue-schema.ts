import pg from "pg";
import { queueNames } from "../../../domain/tasks/task.ts";
import { migrateQueues } from "../../../runtime/queue/queues.ts";

/** Runs statements as the login of `url`, in one session. */
export async function asLogin<Result>(url: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/**
 * Makes the schema `bullmq` as in older installations, whose processes could create objects in it: with the same
 * grants, and with sequences that belong to the role that used a queue first.
 */
export const makeOpenQueueSchema = (ownerUrl: string): Promise<void> =>
  asLogin(ownerUrl, async (client) => {
    await client.query("drop schema if exists bullmq cascade");
    await migrateQueues(client, "bullmq");
    await client.query(`
      grant usage, create on schema bullmq to realmpass_queue;
      grant all on all tables in schema bullmq to realmpass_queue;
      grant all on all sequences in schema bullmq to realmpass_queue;
      grant execute on all functions in schema bullmq to realmpass_queue;
      set role realmpass_queue;
    `);
    await client.query("select bullmq.next_job_id(name) from unnest($1::text[]) as name", [queueNames]);
  });
