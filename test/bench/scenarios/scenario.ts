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
  /** Findings that the document leaves out. The kept results have them. */
  details?: string;
}

/** Something to measure against a freshly started service, once for each queue backend. */
export interface Scenario {
  title: string;
  /** For the document: the procedure. */
  about: string;
  columns: readonly string[];
  /** Columns, and the rows of a backend, that the document leaves out. The kept results have them. */
  keptOnly?: { columns?: readonly string[]; backend?: Backend };
  /** The backends that it runs with. Default: all that are requested. */
  backends?: readonly Backend[];
  /** Variables that the service is started with, in addition to those of every scenario. */
  env: (quick: boolean) => Record<string, string>;
  run: (run: Run) => Promise<Outcome>;
  /**
   * For measurements that change nothing: prepares the service and returns the measurements. Two builds are then
   * compared while both run, with the measurements in turn, so that a machine that becomes slower affects both alike.
   */
  inTurn?: (run: Pick<Run, "service" | "cleanup">) => Promise<(() => Promise<Figure[]>)[]>;
}

export const backendNames = { redis: "Redis", postgres: "Postgres" } as const;
