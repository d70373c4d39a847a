import * as setup from "../../../db/operations/setup.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";

export const finishSetup = endpoint({
  operation: "finishSetup",
  summary: "Finish the set-up of the realm",
  description:
    "From then on only the operator changes which RADIUS server devices trust; this cannot be undone. Finishing again changes nothing.",
  method: "post",
  path: "/api/setup/finish",
  access: "staff",
  scope: "realm.modify",
  data: Done,
  errors: [],

  async handle({ principal, deps: { db, clock } }) {
    const { realmId } = principal;
    await db.transaction((tx) => setup.finish(tx, { realmId, actor: actorOf(principal), at: clock.now() }));
    return done;
  },
});
