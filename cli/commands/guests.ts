import { z } from "zod";
import { argument, option } from "../../terminal/command.ts";
import { wholeNumber } from "../../terminal/inputs.ts";
import { guestAccountResource, type GuestAccount } from "../resources/guest-account.ts";
import { counted } from "../resources/texts.ts";
import { allRows } from "../service/pages.ts";
import { answerOf } from "../service/service-client.ts";
import { command, type CliCommand } from "./command.ts";
import { confirmingTotal, confirmTotalOption } from "./confirm-total.ts";
import { listOptions, reasonOption } from "./inputs.ts";
import { asQuery } from "./query.ts";

const accountArgument = argument(
  "ACCOUNT",
  "its id",
  z.string().regex(/^[1-9][0-9]{0,18}$/, "must be a guest account's id"),
);

export const guestsList = command({
  name: "guests list",
  about: "List the guest accounts of the realm. --search looks inside the name.",
  options: listOptions,
  async run({ csv, ...choice }, context) {
    const { api } = await context.service();
    const rows = allRows<GuestAccount>(choice, {
      page: (query) => answerOf(api.GET("/api/guest-accounts", { params: { query: asQuery(query) } })),
      idOf: ({ id }) => id,
    });
    await context.out.list(guestAccountResource, rows, { csv });
    return undefined;
  },
});

export const guestsShow = command({
  name: "guests show",
  about: "Show one guest account.",
  arguments: { account: accountArgument },
  options: {},
  async run({ account }, context) {
    const { api } = await context.service();
    const path = { guestAccountId: account };
    await context.out.one(
      guestAccountResource,
      (await answerOf(api.GET("/api/guest-accounts/{guestAccountId}", { params: { path } }))).data,
    );
    return undefined;
  },
});

export const guestsCreate = command({
  name: "guests create",
  about: "Create a guest account, which ends by itself.",
  arguments: { name: argument("NAME", "the name of the guest account", z.string().min(1)) },
  options: {
    expires: option("TIME", "ISO 8601, in the future", z.string().min(1)),
    note: option("TEXT", "a note for administrators", z.string().optional()),
    profileLimit: option("N", "active profiles at a time; default: unlimited", wholeNumber(0, 999_999).optional()),
  },
  async run({ name, expires, note, profileLimit }, context) {
    const { api } = await context.service();
    const body = {
      name,
      expirationDate: expires,
      ...(note === undefined ? {} : { note }),
      ...(profileLimit === undefined ? {} : { profileLimit }),
    };
    await context.out.one(guestAccountResource, (await answerOf(api.POST("/api/guest-account", { body }))).data);
    return undefined;
  },
});

export const guestsCode = command({
  name: "guests code",
  about: "Print the short code of a guest account. Its holder can create profiles; the audit log records each reading.",
  arguments: { account: accountArgument },
  options: {},
  async run({ account }, context) {
    const { api } = await context.service();
    const path = { guestAccountId: account };
    const code = (await answerOf(api.GET("/api/guest-accounts/{guestAccountId}/code", { params: { path } }))).data;
    await context.out.answer({ account, code }, code);
    return undefined;
  },
});

export const guestsRevoke = command({
  name: "guests revoke",
  about: "End a guest account, its token and all its profiles permanently.",
  arguments: { account: accountArgument },
  options: { reason: reasonOption, confirmTotal: confirmTotalOption },
  async run({ account, reason, confirmTotal }, context) {
    const { api } = await context.service();
    const path = { guestAccountId: account };
    const { name, activeProfileCount } = (
      await answerOf(api.GET("/api/guest-accounts/{guestAccountId}", { params: { path } }))
    ).data;
    await context.confirm(
      `“${name}” and its ${counted(activeProfileCount, "active profile")} will be revoked permanently.`,
      name,
    );
    const body = reason === undefined ? {} : { reason };
    await confirmingTotal(
      context,
      confirmTotal,
    )((agreed) =>
      answerOf(api.DELETE("/api/guest-accounts/{guestAccountId}", { params: { path }, body: { ...body, ...agreed } })),
    );
    context.notify(`${name}: revoked.`);
    if (context.options.json) await context.out.answer({ revoked: account }, "");
    return undefined;
  },
});

export const guestCommands: readonly CliCommand[] = [guestsList, guestsShow, guestsCreate, guestsCode, guestsRevoke];
