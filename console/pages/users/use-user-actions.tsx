import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { personName } from "../../ui/value/person.tsx";
import { useCheck } from "../bulk-jobs/input/use-check.ts";
import type { User } from "./load-users.ts";
import { OffboardQuestion } from "./offboard-question.tsx";
import { useBatchAction } from "./use-batch-action.ts";
import { isPossible, jobOf, userCalls, type UserAction } from "./user-calls.ts";

const changed = ["jobs", "users", "user", "user-profiles", "user-sessions", "profiles", "profile", "audit"];
const undoes: Partial<Record<UserAction, UserAction>> = { lock: "unlock", unlock: "lock" };

/**
 * Returns an administrator's actions on one person or many. The console asks before it offboards one person, and makes
 * a bulk job check the offboarding or reactivation of several people; all other actions run immediately.
 */
export function useUserActions() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { check, checking } = useCheck();
  const { run, start, stop, dismiss } = useBatchAction();

  const act = async (verb: UserAction, users: readonly User[]): Promise<void> => {
    await finish(verb, await start(verb, users, (userID) => userCalls[verb](userID)));
  };
  const finish = async (verb: UserAction, users: readonly User[]): Promise<void> => {
    notify(verb, users);
    await Promise.all(changed.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  };
  const notify = (verb: UserAction, users: readonly User[]) => {
    const undo = undoes[verb];
    if (users.length === 0) return;
    notifyDone(
      t(`users.done.${verb}`, { count: users.length, name: users[0] === undefined ? "" : personName(users[0]) }),
      undo === undefined ? undefined : { label: t("users.undo"), act: () => act(undo, users) },
    );
  };
  const askToOffboard = (user: User, onDone: () => void) => {
    const name = personName(user);
    let graceDays: number | null | undefined = null;
    confirm({
      title: t("users.offboard.title", { name }),
      confirmLabel: t("users.offboard.confirm", { name }),
      children: (block) => (
        <OffboardQuestion
          user={user}
          onGrace={(days) => {
            graceDays = days;
            block(days === undefined);
          }}
        />
      ),
      async onConfirm(confirmTotal) {
        await userCalls.offboard(user.userID, graceDays ?? null, confirmTotal);
        void finish("offboard", [user]);
        onDone();
      },
    });
  };

  return {
    run,
    stop,
    dismiss,
    busy: checking || run?.ended === false,
    /** Makes a bulk job check the action, and opens the job, which the user can then start. */
    check,
    /** Performs the action for the users whom it changes. For several users, a bulk job removes or restores access. */
    perform: (verb: UserAction, users: readonly User[], onDone: () => void = () => undefined): void => {
      const concerned = users.filter(isPossible[verb]);
      const [user, ...others] = concerned;
      const kind = jobOf[verb];
      if (kind !== undefined && others.length > 0) {
        void check({ kind, of: { users: concerned.map(({ userID }) => ({ userID })) } });
      } else if (verb === "offboard" && user !== undefined) {
        askToOffboard(user, onDone);
      } else {
        onDone();
        void act(verb, concerned);
      }
    },
  };
}
