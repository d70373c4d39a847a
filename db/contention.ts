import pg from "pg";

/** Serialization failure, deadlock, lock not available (PostgreSQL appendix A): nothing was done, and a retry helps. */
export const contentionStates: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

/** Returns whether a transaction failed because of a concurrent transaction and can be retried. */
export const isContention = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && contentionStates.has(error.code ?? "");

/** Returns the loggable parts of an error: which rule was broken and where, never the values that broke the rule. */
export const withoutValues = (error: unknown): Record<string, string | undefined> =>
  error instanceof pg.DatabaseError
    ? {
        code: error.code,
        table: error.table,
        column: error.column,
        constraint: error.constraint,
        routine: error.routine,
      }
    : { name: error instanceof Error ? error.name : typeof error };
