import type { Cleanup } from "../cleanup.ts";
import type { Figure } from "../figures.ts";
import type { Backend, Service } from "../service.ts";

export interface Run {
  service: Service;
  /** The directory with the build that the service runs from. */
  tree: string;
  /** CPU microseconds per profile of {@link measureFloor}, taken just before. */
  floorUs: number;
  quick: boolean;
  /** Whether repeated measurements run only once. */
  once: boolean;
  cleanup: Cleanup;
}

/** Rows of a scenario's table for one backend, their figures, and the checks made. */
export interface Outcome {
  rows: string[][];
  figures: Figure[];
  remark?: string;
  /** Findings that only the kept results contain, not the document. */
  details?: string;
}

/** A benchmark on a freshly started service, run once for each queue backend. */
export interface Scenario {
  title: string;
  /** The procedure, for the document. */
  about: string;
  columns: readonly string[];
  /** Columns, and the rows of a backend, that only the kept results contain, not the document. */
  keptOnly?: { columns?: readonly string[]; backend?: Backend };
  /** The backends for this scenario. Default: all requested backends. */
  backends?: readonly Backend[];
  /** Variables for starting the service, in addition to those of every scenario. */
  env: (quick: boolean) => Record<string, string>;
  run: (run: Run) => Promise<Outcome>;
  /**
   * Prepares the service and returns the measurements; only for measurements that change nothing. Both builds then run
   * at the same time and take turns, so a machine that becomes slower affects both builds equally.
   */
  inTurn?: (run: Pick<Run, "service" | "cleanup">) => Promise<(() => Promise<Figure[]>)[]>;
}

export const backendNames = { redis: "Redis", postgres: "Postgres" } as const;
