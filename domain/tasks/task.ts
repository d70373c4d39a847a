import type { z } from "zod";

/** The queues: interactive issuance, the steps of bulk jobs, and the rows of bulk jobs. No queue waits for another. */
export const queueNames = ["issuance", "bulk-job-steps", "bulk-job-rows"] as const;
export type QueueName = (typeof queueNames)[number];

/**
 * The contract between the process that adds a task and the worker that runs it. A payload is a version and ids, so
 * reading the queue reveals nothing else.
 */
export interface TaskDefinition<Payload> {
  name: string;
  queue: QueueName;
  payload: z.ZodType<Payload>;
  /** Tasks for the same work must have the same id. BullMQ refuses an id that contains a colon or is an integer. */
  taskId: (payload: Payload) => string;
  /**
   * Tasks with a smaller number run first. Tasks without a number run before all others, in the order they were added.
   */
  priority?: (payload: Payload) => number;
  attempts: number;
  backoffMs: number;
}

export const defineTask = <Payload>(definition: TaskDefinition<Payload>): TaskDefinition<Payload> => definition;
