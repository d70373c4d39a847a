import { option } from "../../terminal/command.ts";
import { exitCodes, type ExitCode } from "../../terminal/exit-codes.ts";
import { CommandError, usageError } from "../../terminal/failure.ts";
import { wholeNumber } from "../../terminal/inputs.ts";
import type { Context } from "../context/context.ts";
import { asFailure } from "../context/failure.ts";
import { userActivityText } from "../resources/activity.ts";
import { findUser } from "../resources/find-user.ts";
import { counted } from "../resources/texts.ts";
import { userResource, type User } from "../resources/user.ts";
import { allRows } from "../service/pages.ts";
import { ServiceError } from "../service/refusal.ts";
import { answerOf, type ServiceClient } from "../service/service-client.ts";
import { command, type CliCommand } from "./command.ts";
import { confirmingTotal, confirmTotalOption } from "./confirm-total.ts";
import { listOptions, outOption, reasonOption, userArgument, usersArgument } from "./inputs.ts";
import { asQuery } from "./query.ts";
import { saveStream } from "./save-stream.ts";
import { usersVlan } from "./user-vlan.ts";
import { graceDaysMax } from "../../domain/lifetimes.ts";

export const usersList = command({
  name: "users list",
  about: "List the people of the realm. --search looks inside the pairwiseID.",
  options: listOptions,
  async run({ csv, ...choice }, context) {
    const { api } = await context.service();
    const rows = allRows<User>(choice, {
      page: (query) => answerOf(api.GET("/api/user", { params: { query: asQuery(query) } })),
      idOf: ({ userID }) => userID,
    });
    await context.out.list(userResource, rows, { csv });
    return undefined;
  },
});

export const usersShow = command({
  name: "users show",
  about: "Show one person.",
  arguments: { user: userArgument },
  options: {},
  async run({ user }, context) {
    await context.out.one(userResource, await findUser(await context.service(), user));
    return undefined;
  },
});

export const usersWhy = command({
  name: "users why",
  about: "Show why a person's device may not be on the network, and when each profile was last checked.",
  arguments: { user: userArgument },
  options: {},
  async run({ user }, context) {
    const service = await context.service();
    const { userID } = await findUser(service, user);
    const { data } = await answerOf(service.api.GET("/api/user/{userID}/activity", { params: { path: { userID } } }));
    await context.out.answer(data, userActivityText(data));
    return undefined;
  },
});

export const usersExport = command({
  name: "users export",
  about: "Export all data about one person, as JSON. The audit log records the export.",
  arguments: { user: userArgument },
  options: { out: outOption },
  async run({ user, out }, context) {
    const service = await context.service();
    const { userID } = await findUser(service, user);
    await saveStream(context, out, () => service.stream({ method: "GET", path: `/api/user/${userID}/export` }));
    return undefined;
  },
});

export const usersLock = command({
  name: "users lock",
  about: "Stop new profiles for these people. Existing profiles stay valid.",
  arguments: { users: usersArgument },
  options: {},
  run: ({ users }, context) => forEach(context, users, { verb: "locked", act: setLocked(true) }),
});

export const usersUnlock = command({
  name: "users unlock",
  about: "Allow new profiles for these people again.",
  arguments: { users: usersArgument },
  options: {},
  run: ({ users }, context) => forEach(context, users, { verb: "unlocked", act: setLocked(false) }),
});

export const usersReactivate = command({
  name: "users reactivate",
  about: "Let offboarded people sign in again. Revoked profiles stay revoked.",
  arguments: { users: usersArgument },
  options: {},
  run: ({ users }, context) =>
    forEach(context, users, {
      verb: "reactivated",
      act: ({ api }, { userID }) => answerOf(api.PUT("/api/user/{userID}/undelete", { params: { path: { userID } } })),
    }),
});

export const usersOffboard = command({
  name: "users offboard",
  about: "End these people's sign-in, sessions and tokens, and revoke all their profiles.",
  arguments: { users: usersArgument },
  options: {
    reason: reasonOption,
    graceDays: option(
      "N",
      `devices go offline this many days later, 1 to ${graceDaysMax}; default: at once`,
      wholeNumber(1, graceDaysMax).optional(),
    ),
    confirmTotal: confirmTotalOption,
  },
  async run({ users, reason, graceDays, confirmTotal }, context) {
    if (reason !== undefined && graceDays !== undefined) {
      throw usageError("--reason cannot be given with --grace-days.");
    }
    const service = await context.service();
    const found: User[] = [];
    for (const user of users) found.push(await findUser(service, user));
    const profiles = found.reduce((sum, { profileCount }) => sum + profileCount, 0);
    const [first] = found;
    const one = found.length === 1 && first !== undefined ? first.pairwiseID : undefined;
    await context.confirm(
      `${one ?? counted(found.length, "person")}: ${counted(profiles, "profile")} will be revoked permanently${graceDays === undefined ? "" : ` in ${counted(graceDays, "day")}`}. People can be reactivated later; profiles cannot be restored.`,
      one ?? String(found.length),
    );
    const confirming = confirmingTotal(context, confirmTotal);
    return forEach(
      context,
      found.map(({ userID }) => userID),
      {
        verb: "offboarded",
        act: ({ api }, { userID }) =>
          confirming((agreed) =>
            answerOf(
              api.DELETE("/api/user/{userID}", {
                params: { path: { userID } },
                body: {
                  ...(reason === undefined ? {} : { reason }),
                  ...(graceDays === undefined ? {} : { graceDays }),
                  ...agreed,
                },
              }),
            ),
          ),
      },
    );
  },
});

const setLocked =
  (locked: boolean) =>
  ({ api }: ServiceClient, { userID }: User): Promise<unknown> =>
    answerOf(api.PUT("/api/user/{userID}/status", { params: { path: { userID } }, body: { locked } }));

interface Outcome {
  user: string;
  userID: string | null;
  status: string;
  error?: string;
  error_description?: string;
}

/**
 * Calls a function for each user in turn. If the service refuses one of several users, the command still processes the
 * others; any other failure, and that of a single user, ends the command. With --json, the outcomes up to that failure
 * are still written. Throws if no user succeeded.
 */
async function forEach(
  context: Context,
  users: readonly string[],
  { verb, act }: { verb: string; act: (service: ServiceClient, user: User) => Promise<unknown> },
): Promise<ExitCode> {
  const service = await context.service();
  const outcomes: Outcome[] = [];
  for (const given of users) {
    let userID: string | null = null;
    try {
      const user = await findUser(service, given);
      userID = user.userID;
      await act(service, user);
      outcomes.push({ user: given, userID, status: verb });
      context.notify(`${user.pairwiseID} (${userID}): ${verb}.`);
    } catch (error) {
      const failure = asFailure(error, context.io.interrupted);
      const isOfThis =
        (failure instanceof ServiceError && failure.status !== undefined) ||
        failure.code === "user_not_found" ||
        failure.code === "user_ambiguous";
      if (users.length === 1 || (!isOfThis && outcomes.length === 0)) throw failure;
      outcomes.push({ user: given, userID, status: "failed", error: failure.code, error_description: failure.message });
      context.notifyFailure(`${given}: ${failure.message}`);
      if (isOfThis) continue;
      if (context.options.json) await context.out.answer(outcomes, "");
      throw failure;
    }
  }
  const failed = outcomes.filter(({ status }) => status === "failed").length;
  if (context.options.json) await context.out.answer(outcomes, "");
  if (failed === 0) return exitCodes.done;
  if (failed < outcomes.length) return exitCodes.partly;
  throw new CommandError("nothing_done", "None of them succeeded.");
}

export const userCommands: readonly CliCommand[] = [
  usersList,
  usersShow,
  usersWhy,
  usersExport,
  usersLock,
  usersUnlock,
  usersOffboard,
  usersReactivate,
  usersVlan,
];
