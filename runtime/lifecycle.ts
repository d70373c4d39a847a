import { createLog, withoutCredentials, type Log } from "./log.ts";
import { within } from "./deadline.ts";
import { Unstartable, unstartableExitCode } from "./config/unstartable.ts";

export interface Lifecycle {
  /**
   * Registers a part to be stopped; parts stop in the reverse order of starting. Once stopping has begun, stops the
   * part immediately and throws, so nothing else starts that uses parts that have ended.
   */
  onStop(name: string, stop: () => Promise<void> | void): void;
  /**
   * Stops all parts; repeated calls wait for the same stop. Resolves when everything has stopped or the deadline has
   * passed.
   */
  stop(reason: string): Promise<void>;
  /** Returns whether stopping has begun. */
  isStopping(): boolean;
  /**
   * Stops on SIGINT and SIGTERM, when the process that forked this one ends and, with `withParent`, when any parent
   * ends; then ends the process. npm forwards the signals that it receives; if npm is killed, this process notices only
   * that its parent is gone.
   */
  stopOnSignals(options: { withParent: boolean }): void;
}

const parentCheckMs = 200;

interface Step {
  name: string;
  stop: () => Promise<void> | void;
}

/** Creates a lifecycle: parts start in order and stop in reverse order, within one deadline. */
export function createLifecycle({ log, deadlineMs }: { log: Log; deadlineMs: number }): Lifecycle {
  const steps: Step[] = [];
  let stopping: Promise<void> | undefined;

  async function stopOne({ name, stop }: Step): Promise<void> {
    try {
      await stop();
    } catch (error) {
      log.error({ event: "process.stop_failed", step: name, err: error }, "a part did not stop cleanly");
    }
  }

  async function stopAll(reason: string): Promise<void> {
    log.info({ event: "process.stopping", reason }, "stopping");
    for (const step of steps.reverse()) await stopOne(step);
    log.info({ event: "process.stopped" }, "stopped");
  }

  async function withinDeadline(work: Promise<void>): Promise<void> {
    if ((await within(deadlineMs, work)) === "late") {
      log.error({ event: "process.stop_late", deadlineMs }, "not everything stopped in time");
    }
  }

  const lifecycle: Lifecycle = {
    onStop(name, stop) {
      if (stopping === undefined) {
        steps.push({ name, stop });
        return;
      }
      void stopOne({ name, stop });
      throw new Error(`${name} was started while the process stops`);
    },
    isStopping: () => stopping !== undefined,
    stop(reason) {
      stopping ??= withinDeadline(stopAll(reason));
      return stopping;
    },
    stopOnSignals({ withParent }) {
      const end = (reason: string): void => {
        void lifecycle.stop(reason).finally(() => process.exit(process.exitCode ?? 0));
      };
      process.on("SIGINT", end);
      process.on("SIGTERM", end);
      process.on("disconnect", () => {
        end("parent gone");
      });
      if (!withParent) return;
      const parent = process.ppid;
      const watch = setInterval(() => {
        if (process.ppid === parent) return;
        clearInterval(watch);
        end("parent gone");
      }, parentCheckMs).unref();
    },
  };
  return lifecycle;
}

/**
 * Runs the main function of the named process. If it fails, stops everything started so far and ends the process with
 * exit code 78 if a restart cannot help ({@link Unstartable}), else with 1. Standard error shows the reason: one
 * message if the operator must change something or if a part is unavailable, else a stack. The reason is plain text in
 * a terminal, otherwise one line of the log.
 */
export function runMain(name: string, main: (begin: (lifecycle: Lifecycle) => void) => Promise<void>): void {
  let begun: Lifecycle | undefined;
  main((lifecycle) => (begun = lifecycle)).catch(async (error: unknown) => {
    // A signal interrupted the start; the signal's own handler ends the process.
    if (begun?.isStopping() === true) return;
    const exitCode = error instanceof Unstartable ? unstartableExitCode : 1;
    const message = explain(error);
    if (process.stderr.isTTY) process.stderr.write(`${message}\n`);
    else createLog({ process: name, level: "fatal" }).fatal({ event: "process.failed", exitCode }, message);
    await begun?.stop("failed to start");
    process.exit(exitCode);
  });
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Unstartable) return withoutCredentials(error.message);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return withoutCredentials(cause === "" ? (error.stack ?? error.message) : `${error.message}${cause}`);
}
