import { z } from "zod";
import * as vlans from "../../../db/queries/people/vlans.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { UserVlanView, userVlanView } from "../../contract/views/user-vlan-view.ts";

export const getUserVlan = endpoint({
  operation: "getUserVLAN",
  summary: "The VLAN of a user's devices, and who set it",
  method: "get",
  path: "/api/user/:userID/vlan",
  access: "staff",
  scope: "user.read",
  params: z.object({ userID: UserID }),
  data: UserVlanView,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal: { realmId }, deps: { db }, fail }) {
    const held = await vlans.find(db, { realmId, userId });
    if (held === undefined) throw fail("user_not_found");
    return userVlanView(held);
  },
});
