import { get, type ClientRequest, type IncomingHttpHeaders } from "node:http";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { givenJob, leaveIn } from "../../../../support/given/bulk-jobs.ts";

let queries = 0;
const api = useApi({
  settings: { jobCommentMs: 1_000 },
  watch: (db) => ({
    ...db,
    query: (statement) => {
      if (statement.text.includes("j.id = any(")) queries += 1;
      return db.query(statement);
    },
  }),
});

let token: string;
let admin: Caller;
beforeAll(async () => {
  const { clientId } = await api.given.application({ realmId: api.realmId });
  token = await api.given.token({ realmId: api.realmId, clientId });
  admin = api.as.token(token);
});

interface SeenEvent {
  id: number | undefined;
  job: { state: string; done: number; error: string | null };
}

interface Stream {
  headers: IncomingHttpHeaders;
  events: SeenEvent[];
  comments: string[];
  ended: boolean;
  close(): void;
}

const open: ClientRequest[] = [];
afterEach(() => {
  for (const request of open.splice(0)) request.destroy();
});

/** Reads an event stream as a browser does. */
function follow(
  id: string,
  { as = token, lastEventId, url = api.url }: { as?: string; lastEventId?: string; url?: string } = {},
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${as}`,
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    const request = get(`${url}/api/jobs/${id}/events`, { headers, agent: false }, (response) => {
      const stream: Stream = {
        headers: response.headers,
        events: [],
        comments: [],
        ended: false,
        close: () => request.destroy(),
      };
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) take(stream, block);
      });
      response.on("end", () => (stream.ended = true));
      response.on("error", () => undefined);
      resolve(stream);
    });
    request.on("error", reject);
    open.push(request);
  });
}

function take(stream: Stream, block: string): void {
  const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  const data = fields.get("data");
  const id = fields.get("id");
  if (data === undefined) stream.comments.push(block);
  else {
    const job = JSON.parse(data) as SeenEvent["job"];
    stream.events.push({ id: id === undefined ? undefined : Number(id), job });
  }
}

async function given(state: Parameters<typeof leaveIn>[2] = "running", rows = 100): Promise<string> {
  const id = await givenJob(api.database.owner, {
    realmId: api.realmId,
    kind: "onboarding",
    rows: Array.from({ length: rows }, (_, index) => ({ pairwiseId: `p${index}` })),
  });
  await leaveIn(api.database.owner, id, state);
  return id;
}

const progress = async (id: string, changed: number): Promise<void> => {
  await api.database.owner.query(sql`
    with moved as (
      update jobs set changed = ${changed}, revision = revision + 1, progress_at = now() where id = ${id} returning id
    )
    select pg_notify('job_progress', id::text) from moved
  `);
};

describe("an event stream", () => {
  test("sends the job immediately, then each change, and finally the ended job", async () => {
    const id = await given();
    const stream = await follow(id);

    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    expect(stream.headers).not.toHaveProperty("content-length");
    await eventually(() => {
      expect(stream.events).toHaveLength(1);
    });
    await progress(id, 40);
    await eventually(() => {
      expect(stream.events.at(-1)?.job.done).toBe(40);
    });
    await leaveIn(api.database.owner, id, "completed");
    await eventually(() => {
      expect(stream.ended).toBe(true);
    });

    expect(stream.events.map(({ job }) => [job.state, job.done])).toEqual([
      ["running", 0],
      ["running", 40],
      ["completed", 100],
    ]);
    const { body } = await admin.get(`/api/jobs/${id}`);
    expect(stream.events.at(-1)?.job).toEqual(body.data);
    expect(stream.comments[0]).toMatch(/^retry: \d+$/);
  });

  test("sends at most four events a second, with increasing ids and counts, and always sends the last change", async () => {
    const id = await given("running", 1_000);
    const startedAt = performance.now();
    const stream = await follow(id);
    for (let changed = 1; changed <= 300; changed += 1) await progress(id, changed);
    await eventually(() => {
      expect(stream.events.at(-1)?.job.done).toBe(300);
    });

    // At most the first event, plus four for each second that it took.
    expect(stream.events.length).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 250);
    const grows = (values: (number | undefined)[]) =>
      values.every((value, index) => index === 0 || (value ?? 0) > (values[index - 1] ?? 0));
    expect(grows(stream.events.map((event) => event.id))).toBe(true);
    expect(grows(stream.events.map(({ job }) => job.done))).toBe(true);
  });

  test("continues after the last known event", async () => {
    const id = await given();
    const first = await follow(id);
    await eventually(() => {
      expect(first.events).toHaveLength(1);
    });
    const known = first.events[0]?.id ?? 0;
    first.close();

    const current = await follow(id, { lastEventId: String(known) });
    await progress(id, 7);
    await eventually(() => {
      expect(current.events).toHaveLength(1);
    });
    expect(current.events[0]?.job.done).toBe(7);
    expect(current.events[0]?.id).toBeGreaterThan(known);

    for (const lastEventId of [String(known), "0", "nonsense", "-1", "9".repeat(40)]) {
      const stream = await follow(id, { lastEventId });
      await eventually(() => {
        expect(stream.events[0]?.job.done).toBe(7);
      });
      stream.close();
    }
  });

  test.each(["", "0", "1000000"])("sends an ended job once, after %j", async (lastEventId) => {
    const stream = await follow(await given("cancelled"), { lastEventId });
    await eventually(() => {
      expect(stream.ended).toBe(true);
    });
    expect(stream.events.map(({ job }) => job.state)).toEqual(["cancelled"]);
  });

  test("reports that a job has stalled, and that it has resumed", async () => {
    const id = await given();
    const stream = await follow(id);
    await eventually(() => {
      expect(stream.events).toHaveLength(1);
    });
    await api.database.owner.query(sql`update jobs set progress_at = now() - interval '61 s' where id = ${id}`);
    await eventually(() => {
      expect(stream.events.at(-1)?.job.error).toBe("stalled");
    });
    await progress(id, 1);
    await eventually(() => {
      expect(stream.events.at(-1)?.job.error).toBeNull();
    });
    expect(stream.events.map((event) => event.id === undefined)).toEqual([false, true, false]);
  });

  test("continues if notifications are lost", async () => {
    const id = await given();
    const stream = await follow(id);
    await api.database.owner.query(sql`update jobs set changed = 3, revision = revision + 1 where id = ${id}`);
    await eventually(() => {
      expect(stream.events.at(-1)?.job.done).toBe(3);
    });
  });

  test("ends when its token expires", async () => {
    const { clientId } = await api.given.application({ realmId: api.realmId });
    const short = await api.given.token({ realmId: api.realmId, clientId }, { expiresAt: fromNow(1_500) });
    const stream = await follow(await given(), { as: short });
    await eventually(() => {
      expect(stream.ended).toBe(true);
    });
    expect(stream.events).toHaveLength(1);
  });

  test("sends keep-alive comments, and ends when its client is switched off", async () => {
    const { clientId } = await api.given.application({ realmId: api.realmId });
    const theirs = await api.given.token({ realmId: api.realmId, clientId });
    const id = await given();
    const [stays, goes] = await Promise.all([follow(id), follow(id, { as: theirs })]);
    await api.database.owner.query(sql`update applications set active = false where client_id = ${clientId}`);

    await eventually(() => {
      expect(stays.comments.some((comment) => comment.startsWith(":"))).toBe(true);
      expect(goes.ended).toBe(true);
    });
    expect(stays.ended).toBe(false);
  });

  test("shares one query among all followers", async () => {
    const id = await given("running", 1_000);
    const streams = await Promise.all(Array.from({ length: 40 }, () => follow(id)));
    await eventually(() => {
      expect(streams.every(({ events }) => events.length > 0)).toBe(true);
    });
    queries = 0;
    const startedAt = performance.now();
    for (let changed = 1; changed <= 30; changed += 1) await progress(id, changed);
    await eventually(() => {
      expect(streams.every(({ events }) => events.at(-1)?.job.done === 30)).toBe(true);
    });
    expect(queries).toBeGreaterThan(0);
    expect(queries).toBeLessThanOrEqual(Math.ceil((performance.now() - startedAt) / 100) + 1);
  });

  test("sends a change in every process, and ends when the processes stop", async () => {
    const id = await given();
    const stream = await follow(id);
    const other = await api.another();
    const elsewhere = await follow(id, { url: other.url });
    await eventually(() => {
      expect([stream.events.length, elsewhere.events.length]).toEqual([1, 1]);
    });
    await progress(id, 5);
    await eventually(() => {
      expect([stream, elsewhere].map(({ events }) => events.at(-1)?.job.done)).toEqual([5, 5]);
    });

    await api.stop();

    await eventually(() => {
      expect([stream.ended, elsewhere.ended]).toEqual([true, true]);
    });
  });
});
