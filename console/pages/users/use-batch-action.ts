import { useEffect, useRef, useState } from "react";
import type { User } from "./load-users.ts";
import type { UserAction } from "./user-calls.ts";

export interface Run {
  verb: UserAction;
  total: number;
  done: number;
  failures: readonly { user: User; error: Error }[];
  /** The people whom the run has not processed yet; at the end, the people skipped because the user stopped the run. */
  left: readonly User[];
  ended: boolean;
}

/**
 * Returns functions that perform one action for several people in turn, and count the results. After a failure, the run
 * continues with the next person.
 */
export function useBatchAction() {
  const [run, setRun] = useState<Run>();
  const stopping = useRef(new AbortController());
  // Stops the run when the user closes its page, because no user would see its progress.
  useEffect(
    () => () => {
      stopping.current.abort();
    },
    [],
  );

  const start = async (verb: UserAction, users: readonly User[], act: (userID: string) => Promise<unknown>) => {
    const { signal } = (stopping.current = new AbortController());
    const failures: { user: User; error: Error }[] = [];
    const succeeded: User[] = [];
    const show = (ended: boolean) => {
      const done = succeeded.length + failures.length;
      setRun({ verb, total: users.length, done, failures: [...failures], left: users.slice(done), ended });
    };
    show(false);
    for (const user of users) {
      if (signal.aborted) break;
      try {
        await act(user.userID);
        succeeded.push(user);
      } catch (thrown) {
        failures.push({ user, error: thrown instanceof Error ? thrown : new Error("thrown", { cause: thrown }) });
      }
      show(false);
    }
    if (succeeded.length < users.length) show(true);
    else setRun(undefined);
    return succeeded;
  };

  return {
    run,
    start,
    stop: () => {
      stopping.current.abort();
    },
    dismiss: () => {
      setRun(undefined);
    },
  };
}
