import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sql } from "../../../db/sql.ts";
import { createBeat } from "../../../process/beat.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createLifecycle } from "../../../runtime/lifecycle.ts";
import { useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenProcess } from "../../support/given/process.ts";
import { silentLog } from "../../support/service/worker.ts";

const database = useDatabase();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await database.owner.query(sql`delete from processes`);
});

function given() {
  const lifecycle = createLifecycle({ log: silentLog, deadlineMs: 5_000 });
  const db = database.open("realmpass_responder", { connectionsMax: 1 });
  const what = { kind: "responder", queue: null, connectionsMax: 4, clock: systemClock } as const;
  return { beat: createBeat({ ...what, db, log: silentLog, lifecycle }), lifecycle };
}
const rows = () =>
  database.owner.query<{ id: string; problems: { code: string; detail: string }[]; age: number }>(sql`
    select *, extract(epoch from clock_timestamp() - seen_at)::float8 as age from processes
  `);

test("a process registers itself when it starts", async () => {
  const { beat } = given();
  expect(await rows()).toEqual([]);
  await beat.start({ ocspUrl: "http://127.0.0.1:8888" });
  expect(await rows()).toMatchObject([
    {
      id: beat.id,
      kind: "responder",
      pid: process.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      migration: expect.stringMatching(/^\d{8}-\d{4}-/) as string,
      queue: null,
      connections_max: 4,
      ocsp_url: "http://127.0.0.1:8888",
      problems: [],
    },
  ]);
});

test("a problem is reported once until it ends, and the next beat registers a forgotten process again", async () => {
  const { beat, lifecycle } = given();
  await beat.start({});
  beat.report("metrics_port", "9464 is taken");
  beat.report("metrics_port", "9464 is taken");
  vi.advanceTimersByTime(5_000);
  await eventually(async () => {
    expect((await rows())[0]?.problems).toMatchObject([{ code: "metrics_port", detail: "9464 is taken" }]);
  });

  await database.owner.query(sql`delete from processes`);
  beat.end("metrics_port", "9464 is taken");
  await eventually(async () => {
    vi.advanceTimersByTime(5_000);
    expect(await rows()).toMatchObject([{ id: beat.id, problems: [] }]);
  });
  await lifecycle.stop("test");
});

test("a process that stops is removed from the list, and so is a process that is silent for an hour", async () => {
  await givenProcess(database.owner, { kind: "api", silentSeconds: 3_601 });
  await givenProcess(database.owner, { kind: "worker", silentSeconds: 3_500 });
  const { beat, lifecycle } = given();
  await beat.start({});
  await lifecycle.stop("test");
  expect(await rows()).toMatchObject([{ kind: "worker" }]);
});
