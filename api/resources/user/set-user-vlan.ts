import { z } from "zod";
import * as vlanOperations from "../../../db/operations/vlans.ts";
import * as users from "../../../db/queries/people/users.ts";
import * as vlans from "../../../db/queries/people/vlans.ts";
import { UserID } from "../../../domain/ids.ts";
import { Vlan } from "../../../domain/people/vlan.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { UserVlanView, userVlanView } from "../../contract/views/user-vlan-view.ts";

export const setUserVlan = endpoint({
  operation: "setUserVLAN",
  summary: "Give a user's devices a VLAN",
  description:
    "It counts before the realm's rules and default, until it is null again. RADIUS servers have it once they have fetched `GET /api/radius/vlans` and the device connects again. With `If-Match`, only what was read is changed.",
  method: "put",
  path: "/api/user/:userID/vlan",
  access: "staff",
  scope: "user.modify",
  params: z.object({ userID: UserID }),
  body: z.object({
    vlan: Vlan.nullable().describe("A number of IEEE 802.1Q, or a name that the switches know; null: by rule again."),
  }),
  data: UserVlanView,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },
  conditional: true,

  async handle({
    params: { userID: userId },
    body: { vlan: given },
    principal,
    deps: { db, clock },
    requireMatch,
    fail,
  }) {
    const { realmId } = principal;
    return db.transaction(async (tx) => {
      if ((await users.lock(tx, { realmId, userId })) === undefined) throw fail("user_not_found");
      const before = await vlans.find(tx, { realmId, userId });
      if (before === undefined) throw fail("user_not_found");
      requireMatch(UserVlanView.parse(userVlanView(before)));
      const after = { ...before, given };
      const change = { realmId, userId, before, after, source: "console" } as const;
      await vlanOperations.set(tx, { ...change, actor: actorOf(principal), at: clock.now() });
      return userVlanView(after);
    });
  },
});
