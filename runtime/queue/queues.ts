import {
  createPostgresBackend,
  Queue,
  runMigrations,
  UnrecoverableError,
  withBackend,
  Worker,
  type Job,
  type JobsOptions,
  type PgPool,
  type WorkerOptions,
} from "bullmq";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Pool, QueryResult } from "pg";
import type { TaskDefinition, QueueName } from "../../domain/tasks/task.ts";
import { queueNames } from "../../domain/tasks/task.ts";
import type { Log } from "../log.ts";
import { openRedis, tryWrite } from "./redis.ts";
import { createBatcher } from "./batch.ts";
import { answerWithin } from "../deadline.ts";
import { createSeldom } from "../seldom.ts";

/** Where the queues live: Redis, or BullMQ's tables in Postgres through a pool whose search path is `bullmq`. */
export type QueueBackend = { kind: "redis"; url: string } | { kind: "postgres"; pool: QueuePool };

export type QueuePool = Pool;
type MigrationClient = Parameters<typeof runMigrations>[0];

/** Returns Redis if it is configured, else Postgres. Opens the pool only for Postgres. */
export const queueBackend = (redisUrl: string | undefined, openPool: () => QueuePool): QueueBackend =>
  redisUrl === undefined ? { kind: "postgres", pool: openPool() } : { kind: "redis", url: redisUrl };

/** Creates or updates BullMQ's own tables in a schema. The client must be one session, not a pool. */
export const migrateQueues = (client: MigrationClient, schema: string): Promise<number> =>
  runMigrations(client, schema);

/** Adds tasks. Adding the same task twice is harmless; the sweep picks up work whose task could not be added. */
export interface Queues {
  enqueue<Payload>(job: TaskDefinition<Payload>, payload: NoInfer<Payload>): Promise<void>;
  enqueueAll<Payload>(job: TaskDefinition<Payload>, payloads: readonly NoInfer<Payload>[]): Promise<void>;
  /** Rejects if the backend does not respond or does not accept tasks. */
  ping(): Promise<void>;
  /** Returns the number of tasks of each queue: waiting, active, and waiting for a retry. */
  tasks(): Promise<Record<QueueName, { waiting: number; active: number; delayed: number }>>;
  close(): Promise<void>;
}

interface QueuedJob {
  name: string;
  data: unknown;
  opts: JobsOptions;
}

/**
 * Returns the task as a job that BullMQ removes once it is finished: BullMQ would silently ignore a new job with the id
 * of a kept job.
 */
const asQueued = <Payload>(job: TaskDefinition<Payload>, payload: Payload): QueuedJob => ({
  name: job.name,
  data: payload,
  opts: {
    jobId: job.taskId(payload),
    ...(job.priority && { priority: job.priority(payload) }),
    attempts: job.attempts,
    backoff: { type: "exponential", delay: job.backoffMs, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: true,
  },
});

/** A backend that takes longer counts as unavailable. The rows in Postgres are the outbox, so no task is lost. */
const answerMsMax = 2_000;

/**
 * Jobs that arrive while others are being added go into the next add together: the Postgres backend adds a thousand
 * jobs together thirteen times faster than one by one.
 */
const gathered = { itemsMax: 1_000, inFlightMax: 1, waitMsMax: 0 };

/** Opens every queue for adding tasks. */
export function openQueues(backend: QueueBackend, log: Log): Queues {
  const onError = createSeldom((repeated) => {
    log.warn({ event: "queue.connection_lost", ...repeated }, "the queue's connection failed");
  });
  const connection = connect(backend, "produce", onError);
  const queues = new Map(queueNames.map((name) => [name, openQueue(connection, name, onError)]));
  const adders = new Map(
    [...queues].map(([name, queue]) => [
      name,
      createBatcher(async (jobs: readonly QueuedJob[]) => {
        await answerWithin(answerMsMax, addTo(queue, jobs, backend.kind));
        return jobs.map(() => undefined);
      }, gathered),
    ]),
  );

  const of = <Part>(parts: ReadonlyMap<QueueName, Part>, name: QueueName): Part => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`no queue ${name}`);
    return part;
  };

  return {
    enqueue: (job, payload) => of(adders, job.queue)(asQueued(job, payload)),
    async enqueueAll(job, payloads) {
      const jobs = payloads.map((payload) => asQueued(job, payload));
      await answerWithin(answerMsMax, addTo(of(queues, job.queue), jobs, backend.kind));
    },
    async ping() {
      const answer = connection instanceof Redis ? tryWrite(connection) : of(queues, "issuance").getWaitingCount();
      await answerWithin<unknown>(answerMsMax, answer);
    },
    async tasks() {
      const counts = await Promise.all(
        [...queues].map(async ([name, queue]) => {
          const { waiting = 0, active = 0, prioritized = 0, delayed = 0 } = await queue.getJobCounts();
          return [name, { waiting: waiting + prioritized, active, delayed }] as const;
        }),
      );
      return Object.fromEntries(counts) as Awaited<ReturnType<Queues["tasks"]>>;
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close().catch(onError)));
      disconnect(connection);
    },
  };
}

/**
 * Up to this many jobs go to the Postgres backend one by one. To add jobs in bulk, the backend creates and drops two
 * tables, which costs as much as several single jobs and delays a single job by several milliseconds.
 */
const singlyMax = 4;

const addTo = (queue: Queue, jobs: readonly QueuedJob[], kind: QueueBackend["kind"]): Promise<unknown> =>
  kind === "postgres" && jobs.length <= singlyMax
    ? Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts)))
    : queue.addBulk([...jobs]);

type Connection = Redis | PgPool;

const connect = (backend: QueueBackend, use: "produce" | "consume", onError: (error: Error) => void): Connection =>
  backend.kind === "redis" ? openRedis(backend.url, use, onError) : preparing(backend.pool);

/**
 * Returns the pool, preparing BullMQ's statements once per connection. The statements are a few fixed texts, each a
 * function call. Parsing and planning them again for every job costs as much as running some of them.
 */
function preparing(pool: QueuePool): PgPool {
  const query = async (text: string, values?: unknown[]): Promise<QueryResult> => {
    if (values === undefined || values.length === 0) return pool.query(text);
    try {
      return await pool.query({ name: statementName(text), text, values });
    } catch (error) {
      if (!isStale(error)) throw error;
      return pool.query(text, values);
    }
  };
  // BullMQ has its own type for the part of pg that it uses; it does not fit pg's overloads of `on`.
  return {
    query,
    connect: () => pool.connect(),
    end: () => pool.end(),
    on: (...listening: Parameters<Pool["on"]>) => pool.on(...listening),
    options: pool.options,
  } as unknown as PgPool;
}

const statementNames = new Map<string, string>();

/** Each text has one name in the whole process, because queues and workers share connections. */
function statementName(text: string): string {
  const name = statementNames.get(text) ?? `bullmq_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

/**
 * Returns whether a prepared statement is stale. Postgres reports feature_not_supported if a table or function has
 * changed its result type since this connection prepared the statement. If the error has another cause, repeating the
 * statement is harmless: it changed nothing and fails again.
 */
const isStale = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "0A000";

/** Ends a connection that this module opened; a pool belongs to the caller that passed it in. */
const disconnect = (connection: Connection): void => {
  if (connection instanceof Redis) connection.disconnect();
};

const onPostgres = withBackend(createPostgresBackend);

/**
 * The version check needs INFO, which some logins may not run. BullMQ checks only once: after a failed check the queue
 * would never work again.
 */
const skipVersionCheck = true;

function openQueue(connection: Connection, name: QueueName, onError: (error: Error) => void): Queue {
  const queue =
    connection instanceof Redis
      ? new Queue(name, { connection, skipVersionCheck })
      : (new onPostgres.Queue(name, { connection }) as unknown as Queue);
  queue.on("error", onError);
  return queue;
}

/** A processor throws this error if a job can never succeed: the job is not retried. */
export { UnrecoverableError };

/** A processor throws this error to have its task retried; the rows contain the task's progress. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
}

/** How one attempt at a task ended: done, to be retried, or failed permanently. */
export type TaskOutcome = "done" | "again" | "failed";

export interface QueueWorkerOptions {
  concurrency: number;
  log: Log;
  onEnd: (outcome: TaskOutcome) => void;
}

/** The part of a BullMQ job that a processor needs: its identity and its data. */
export type TakenTask = Pick<Job, "id" | "name" | "data" | "attemptsMade" | "timestamp">;

export interface QueueWorker {
  /** Takes no more jobs until resumed, so other processes get them; running jobs continue. */
  pause(): void;
  resume(): void;
  /** Stops taking jobs and resolves when the running ones are done. */
  close(): Promise<void>;
}

const refusedMs = 1_000;

/**
 * Returns a worker class that pauses if the backend refuses to give it a job (no permission, no memory, read-only,
 * loading). BullMQ would ask again immediately, which would leave this process no time for other work, including its
 * shutdown.
 */
const pausing = (Base: typeof Worker): typeof Worker =>
  class extends Base {
    protected override async moveToActive(token: string, name?: string): Promise<Job> {
      try {
        return await super.moveToActive(token, name);
      } catch (error) {
        const closing = new AbortController();
        const end = (): void => {
          closing.abort();
        };
        this.once("closing", end);
        if (this.closing === undefined) await pause(refusedMs, undefined, closing).catch(() => undefined);
        this.off("closing", end);
        throw error;
      }
    }
  };

const onRedisWorker = pausing(Worker);
const onPostgresWorker = pausing(onPostgres.Worker as unknown as typeof Worker);

/** Starts taking jobs from one queue. */
export function startQueueWorker(
  backend: QueueBackend,
  name: QueueName,
  process: (job: TakenTask) => Promise<unknown>,
  { concurrency, log, onEnd }: QueueWorkerOptions,
): QueueWorker {
  const onError = createSeldom((repeated) => {
    log.warn({ event: "queue.error", queue: name, ...repeated }, "the queue reported an error");
  });
  const options: Omit<WorkerOptions, "connection"> = {
    concurrency,
    // A worker picks up the job of a dead worker after at most half a minute. Until then a chunk of a bulk job cannot
    // be added again, so a longer lock would delay the whole job.
    lockDuration: 20_000,
    stalledInterval: 10_000,
    maxStalledCount: 2,
  };
  const connection = connect(backend, "consume", onError);
  const worker =
    connection instanceof Redis
      ? new onRedisWorker(name, process, { ...options, connection, skipVersionCheck })
      : new onPostgresWorker(name, process, { ...options, connection });
  worker.on("error", onError);
  worker.on("completed", () => {
    onEnd("done");
  });
  worker.on("failed", (job, error) => {
    const isLast = job === undefined || job.finishedOn !== undefined;
    onEnd(isLast ? "failed" : "again");
    const fields = { queue: name, taskId: job?.id, attempt: job?.attemptsMade };
    if (error instanceof RetryLater && !isLast) {
      log.debug({ event: "task.repeated", ...fields, reason: error.message }, "a task asked to be retried");
    } else log.warn({ event: "task.failed", ...fields, err: error }, "a task failed");
  });
  worker.on("stalled", (taskId) => {
    log.warn({ event: "task.stalled", queue: name, taskId }, "a task's worker went away; another worker takes it");
  });

  return {
    pause() {
      worker.pause(true).catch(onError);
    },
    resume() {
      void worker.resume();
    },
    async close() {
      await worker.close();
      disconnect(connection);
    },
  };
}
