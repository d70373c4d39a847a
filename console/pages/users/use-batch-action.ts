import { useEffect, useRef, useState } from "react";
import type { User } from "./load-users.ts";
import type { UserAction } from "./user-calls.ts";

export interface Run {
  verb: UserAction;
  total: number;
  done: number;
  failures: readonly { user: User; error: Error }[];
  /** Whom nothing was done for yet; once it has ended, because it was stopped. */
  left: readonly User[];
  ended: boolean;
}

/** Does the same with several people, one after another, and keeps count. Whom it failed for does not stop the others. */
export function useBatchAction() {
  const [run, setRun] = useState<Run>();
  const stopping = useRef(new AbortController());
  // Nobody is there any more to see it go on.
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
