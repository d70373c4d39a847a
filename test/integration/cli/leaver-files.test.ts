import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { leaversMax, leaverTexts } from "../../support/given/leaver-files.ts";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";
import type { TestWorker } from "../../support/service/worker.ts";

const api = useApi();
const realm = useCliRealm(api);
const { cli } = realm;
let worker: TestWorker;
beforeAll(async () => {
  worker = await api.startWorker();
});
afterAll(() => worker.stop());

test.each(leaverTexts("cli-leaver"))(
  "on the command line, a file with $title offboards each person, or exits with 3 and a failed row that names the person or the reason",
  async ({ text, people, unreadable }) => {
    await api.database.owner.query(sql`
      insert into users (realm_id, pairwise_id, created_at)
      select ${realm.realmId}, id, now() from unnest(${people}::text[]) as id
    `);
    await writeFile(join(cli.directory, "leavers.csv"), text);
    const off = leaversMax - unreadable.length;

    const { code, out } = await cli([
      ...["jobs", "start", "offboard", "leavers.csv", "--ignore-unknown", "--yes", "--confirm-total", String(off)],
      ...["--wait", "--json"],
    ]);

    const job = JSON.parse(out) as { id: string; changed: number; failed: number };
    expect(job.changed).toBe(off);
    expect(code).toBe(unreadable.length === 0 ? 0 : 3);
    const failed = await cli(["jobs", "results", job.id, "--failed", "--json"]);
    const named = unreadable.filter((id) => failed.out.includes(id)).length;
    const withReason = (JSON.parse(failed.out) as { message: string | null }[]).filter(
      ({ message }) => message !== null,
    );
    expect(Math.max(named, withReason.length)).toBe(unreadable.length);
  },
);
