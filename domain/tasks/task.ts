import type { z } from "zod";

/** The queues: interactive issuance, the steps of bulk jobs, and their rows. No queue waits for another. */
export const queueNames = ["issuance", "bulk-job-steps", "bulk-job-rows"] as const;
export type QueueName = (typeof queueNames)[number];

/** The contract between both sides of a queue. A payload is a version and ids, so reading the queue reveals nothing else. */
export interface TaskDefinition<Payload> {
  name: string;
  queue: QueueName;
  payload: z.ZodType<Payload>;
  /** Tasks for the same work must have the same id. BullMQ refuses a colon in it, and a bare integer. */
  taskId: (payload: Payload) => string;
  /** Tasks with a smaller number run first. Tasks without one run before these, in the order they were added. */
  priority?: (payload: Payload) => number;
  attempts: number;
  backoffMs: number;
}

export const defineTask = <Payload>(definition: TaskDefinition<Payload>): TaskDefinition<Payload> => definition;
