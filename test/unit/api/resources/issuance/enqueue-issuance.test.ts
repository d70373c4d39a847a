import { expect, test } from "vitest";
import { createEnqueuer } from "../../../../../api/resources/issuance/enqueue-issuance.ts";
import { IssuanceID } from "../../../../../domain/ids.ts";
import type { TaskDefinition } from "../../../../../domain/tasks/task.ts";
import { drawIssuanceId } from "../../../../../runtime/draw-ids.ts";

const isNew = { isNew: true };

function givenEnqueuer({ isAway = false } = {}) {
  const tasks: { id: string; issuanceIds: string[] }[] = [];
  const warnings: object[] = [];
  let failures = 0;
  const enqueueIssuance = createEnqueuer({
    queues: {
      enqueue<Payload>(definition: TaskDefinition<Payload>, payload: NoInfer<Payload>) {
        if (isAway) return Promise.reject(new Error("away"));
        const parsed = definition.payload.parse(payload);
        const { issuanceIds } = payload as { issuanceIds: string[] };
        tasks.push({ id: definition.taskId(parsed), issuanceIds });
        return Promise.resolve();
      },
      enqueueAll: () => Promise.reject(new Error("not asked for")),
    },
    metrics: { enqueueFailed: () => failures++ } as never,
    log: { warn: (fields: object) => warnings.push(fields) } as never,
  });
  return { enqueueIssuance, tasks, said: warnings, failures: () => failures };
}

const drawIds = (count: number): IssuanceID[] => Array.from({ length: count }, drawIssuanceId);

test("issuances enqueued in one turn make one task, named after the first issuance", async () => {
  const { enqueueIssuance, tasks } = givenEnqueuer();
  const ids = drawIds(3);
  await Promise.all(ids.map((id) => enqueueIssuance(id, isNew)));

  expect(tasks).toEqual([{ id: `of_${ids[0]}`, issuanceIds: ids }]);
});

test("more than 64 make several tasks", async () => {
  const { enqueueIssuance, tasks } = givenEnqueuer();
  const ids = drawIds(150);
  await Promise.all(ids.map((id) => enqueueIssuance(id, isNew)));

  expect(tasks.map(({ issuanceIds }) => issuanceIds.length)).toEqual([64, 64, 22]);
  expect(tasks.flatMap(({ issuanceIds }) => issuanceIds)).toEqual(ids);
});

test("a repeated issuance gets a separate task, so that no other issuance is lost if that task already exists", async () => {
  const { enqueueIssuance, tasks } = givenEnqueuer();
  const [again, other] = drawIds(2) as [IssuanceID, IssuanceID];
  await Promise.all([enqueueIssuance(again, { isNew: false }), enqueueIssuance(other, isNew)]);

  expect(tasks).toEqual([
    { id: `of_${again}`, issuanceIds: [again] },
    { id: `of_${other}`, issuanceIds: [other] },
  ]);
});

test("while the queue is unreachable no request fails, and the log contains the ids", async () => {
  const { enqueueIssuance, said, failures } = givenEnqueuer({ isAway: true });
  const ids = drawIds(2);
  await Promise.all(ids.map((id) => enqueueIssuance(id, isNew)));

  expect(said).toEqual([{ event: "issuances.enqueue_failed", issuanceIds: ids, err: expect.any(Error) }]);
  expect(failures()).toBe(1);
});
