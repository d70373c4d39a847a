import { Vlan } from "../../domain/people/vlan.ts";
import { argument } from "../../terminal/command.ts";
import { findUser } from "../resources/find-user.ts";
import { userVlanText } from "../resources/user-vlan.ts";
import { answerOf } from "../service/service-client.ts";
import { command } from "./command.ts";
import { userArgument } from "./inputs.ts";

/** Makes the realm's rules and default decide the VLAN, as null does in the API. */
const byRule = "by-rule";

export const usersVlan = command({
  name: "users vlan",
  about: "Show the VLAN of a person's devices, or set it. It counts from the next connection on.",
  arguments: {
    user: userArgument,
    vlan: argument(
      "VLAN",
      `a number or the name of one; ${byRule}: what the realm's rules and default give`,
      Vlan.refine((vlan) => vlan !== "none", `must be a VLAN, or ${byRule}`).optional(),
    ),
  },
  options: {},
  async run({ user, vlan }, context) {
    const service = await context.service();
    const { userID, pairwiseID } = await findUser(service, user);
    const params = { params: { path: { userID } } };
    const { data } =
      vlan === undefined
        ? await answerOf(service.api.GET("/api/user/{userID}/vlan", params))
        : await answerOf(
            service.api.PUT("/api/user/{userID}/vlan", { ...params, body: { vlan: vlan === byRule ? null : vlan } }),
          );
    await context.out.answer(data, userVlanText(pairwiseID, data));
    return undefined;
  },
});
