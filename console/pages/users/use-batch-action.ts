import { useState } from "react";
import type { User } from "./load-users.ts";
import type { UserAction } from "./user-calls.ts";

export interface Run {
  verb: UserAction;
  total: number;
  done: number;
  failures: readonly { user: User; error: Error }[];
  ended: boolean;
}

/** Does the same with several people, one after another, and keeps count. Whom it failed for does not stop the others. */
export function useBatchAction() {
  const [run, setRun] = useState<Run>();

  const start = async (verb: UserAction, users: readonly User[], act: (userID: string) => Promise<unknown>) => {
    const failures: { user: User; error: Error }[] = [];
    const succeeded: User[] = [];
    const show = (ended: boolean) => {
      const done = succeeded.length + failures.length;
      setRun({ verb, total: users.length, done, failures: [...failures], ended });
    };
    show(false);
    for (const user of users) {
      try {
        await act(user.userID);
        succeeded.push(user);
      } catch (thrown) {
        failures.push({ user, error: thrown instanceof Error ? thrown : new Error("thrown", { cause: thrown }) });
      }
      show(false);
    }
    if (failures.length > 0) show(true);
    else setRun(undefined);
    return succeeded;
  };

  return {
    run,
    start,
    dismiss: () => {
      setRun(undefined);
    },
  };
}
