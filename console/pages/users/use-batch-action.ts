import { useEffect, useRef, useState } from "react";
import type { User } from "./load-users.ts";
import type { UserAction } from "./user-calls.ts";

export interface Run {
  verb: UserAction;
  total: number;
  done: number;
  failures: readonly { user: User; error: Error }[];
  /** The people not processed yet; after the end, the people left out because the run was stopped. */
  left: readonly User[];
  ended: boolean;
}

/**
 * Performs one action for several people, one after another, and counts the results. A failure does not stop the run.
 */
export function useBatchAction() {
  const [run, setRun] = useState<Run>();
  const stopping = useRef(new AbortController());
  // The run stops when its page is closed, because no user would see its progress.
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
