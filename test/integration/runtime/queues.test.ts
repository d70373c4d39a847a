import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openQueuePool } from "../../../db/client.ts";
import { IssuanceID } from "../../../domain/ids.ts";
import { issueCertificate } from "../../../domain/tasks/issue-certificate.ts";
import { openQueues, type Queues } from "../../../runtime/queue/queues.ts";
import { atEnd } from "../../support/run/at-end.ts";
import { useDatabase } from "../../support/run/database.ts";
import { asLogin } from "../../support/run/queue-schema.ts";
import { depthOf, silentLog } from "../../support/service/worker.ts";

const database = useDatabase();

/** Opens queues in Postgres over one connection, which has prepared the statement that adds a job. */
async function preparedQueues(): Promise<Queues> {
  const pool = openQueuePool({ url: database.url, connectionsMax: 1, applicationName: "realmpass test" });
  const queues = openQueues({ kind: "postgres", pool }, silentLog);
  atEnd(async () => {
    await queues.close();
    await pool.end();
  });
  await add(queues);
  return queues;
}

const add = (queues: Queues) =>
  queues.enqueue(issueCertificate, { version: 1, issuanceId: IssuanceID.parse(randomUUID()) });

/** Replaces the function that adds a job, until the end of the test, by a function with this return type and body. */
async function replaceAddJob({ returns, body }: { returns: string; body: (original: string) => string }) {
  await asLogin(database.url, async (client) => {
    const { rows } = await client.query<{ parameters: string; count: number }>(
      "select pg_get_function_arguments(oid) as parameters, pronargs as count from pg_proc where oid = 'bullmq.add_job'::regproc",
    );
    const { parameters, count } = rows[0]!;
    const original = `bullmq.add_job_before(${Array.from({ length: count }, (_, index) => `$${index + 1}`).join(", ")})`;
    await client.query(`
      set search_path = bullmq;
      alter function bullmq.add_job rename to add_job_before;
      create function bullmq.add_job(${parameters}) returns ${returns} language plpgsql as $$ ${body(original)} $$;
      grant execute on function bullmq.add_job to realmpass_queue;
    `);
  });
  atEnd(() =>
    asLogin(database.url, async (client) => {
      await client.query("drop function bullmq.add_job; alter function bullmq.add_job_before rename to add_job");
    }),
  );
}

test("a job is added whatever return type the database function add_job declares", async () => {
  const queues = await preparedQueues();
  const before = await depthOf(queues);
  await replaceAddJob({ returns: "varchar", body: (original) => `begin return ${original}; end` });

  await add(queues);

  expect(await depthOf(queues)).toEqual({ ...before, issuance: before.issuance + 1 });
});

test("a job that add_job rejects with the SQLSTATE feature_not_supported fails and is not added", async () => {
  const queues = await preparedQueues();
  const before = await depthOf(queues);
  await replaceAddJob({
    returns: "text",
    body: () => "begin raise exception 'not today' using errcode = 'feature_not_supported'; end",
  });

  await expect(add(queues)).rejects.toThrow("not today");

  expect(await depthOf(queues)).toEqual(before);
});
