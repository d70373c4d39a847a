import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/confirm.tsx";
import { useErrorMessage } from "../../ui/error-notice.tsx";
import { notifyDone, notifyFailed } from "../../ui/notify.tsx";
import { personName } from "../../ui/person.tsx";
import { jobKey, jobsKey } from "../bulk-jobs/job.ts";
import { uploadRows } from "../bulk-jobs/upload-rows.ts";
import type { User } from "./load-users.ts";
import { useBatchAction } from "./use-batch-action.ts";
import { isPossible, userCalls, type UserAction } from "./user-calls.ts";
import { WaitingJobs } from "./waiting-jobs.tsx";

const changed = ["jobs", "users", "user", "person", "user-profiles", "user-sessions", "profiles", "profile", "audit"];
const undoes: Partial<Record<UserAction, UserAction>> = { lock: "unlock", unlock: "lock" };

/** What an administrator does with one person or many. What can be undone is done at once; the rest is asked about. */
export function useUserActions() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const message = useErrorMessage();
  const { run, start, dismiss } = useBatchAction();

  const act = async (verb: UserAction, users: readonly User[]): Promise<void> => {
    await finish(verb, await start(verb, users, userCalls[verb]));
  };
  const finish = async (verb: UserAction, users: readonly User[]): Promise<void> => {
    notify(verb, users);
    await Promise.all(changed.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  };
  const notify = (verb: UserAction, users: readonly User[]) => {
    const undo = undoes[verb];
    if (users.length === 0) return;
    notifyDone(
      t(`users.done.${verb}`, wordsFor(users)),
      undo === undefined ? undefined : { label: t("users.undo"), act: () => act(undo, users) },
    );
  };
  /** Checks it as a bulk job, which goes on when this page is closed, and opens it. */
  const reactivateMany = async (users: readonly User[]): Promise<void> => {
    const rows = { users: users.map(({ userID }) => ({ userID })) };
    try {
      const job = await uploadRows({
        kind: "reactivation",
        chosen: { body: new Blob([JSON.stringify(rows)]), type: "application/json" },
        onProgress: () => undefined,
        signal: new AbortController().signal,
      });
      queries.setQueryData(jobKey(job.id), job);
      void queries.invalidateQueries({ queryKey: [jobsKey] });
      await navigate({ to: "/jobs/$id", params: { id: job.id } });
    } catch (error) {
      notifyFailed(message(error as Error));
    }
  };
  const askToOffboard = (users: readonly User[], onDone: () => void) => {
    const count = users.length;
    const profiles = users.reduce((sum, { profileCount }) => sum + profileCount, 0);
    confirm({
      title: t("users.offboard.title", wordsFor(users)),
      confirmLabel: t("users.offboard.confirm", wordsFor(users)),
      children: (
        <>
          <Text size="sm">{t("users.offboard.access", { count })}</Text>
          <Text size="sm" fw={600} mt="xs">
            {t("users.offboard.profiles", { count: profiles })}
          </Text>
          <WaitingJobs users={users} />
          <Text size="sm" mt="xs">
            {t("users.offboard.later", { count })}
          </Text>
        </>
      ),
      ...(count > 1 && { typed: String(count) }),
      async onConfirm() {
        const [user, ...others] = users;
        if (user !== undefined && others.length === 0) {
          await userCalls.offboard(user.userID);
          void finish("offboard", users);
        } else {
          // The page shows how far it is.
          void act("offboard", users);
        }
        onDone();
      },
    });
  };

  return {
    run,
    dismiss,
    /** Does it with those of them whom it changes anything for. */
    perform: (verb: UserAction, users: readonly User[], onDone: () => void = () => undefined): void => {
      const concerned = users.filter(isPossible[verb]);
      if (verb === "offboard") {
        askToOffboard(concerned, onDone);
        return;
      }
      onDone();
      if (verb === "reactivate" && concerned.length > 1) void reactivateMany(concerned);
      else void act(verb, concerned);
    },
  };
}

const wordsFor = (users: readonly User[]) => ({
  count: users.length,
  name: users[0] === undefined ? "" : personName(users[0]),
});
