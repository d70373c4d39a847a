import * as auditEntries from "../../db/queries/audit-entries.ts";
import * as realms from "../../db/queries/realms.ts";
import { operatorActor } from "../../domain/audit.ts";
import { realmLimits } from "../../domain/realm.ts";
import { command, option } from "../command.ts";
import { text } from "../../domain/text.ts";
import { UpstreamIssuer } from "../../domain/uris.ts";
import { Switch, wholeNumber } from "../inputs.ts";
import { usageError } from "../operator-error.ts";
import { lines, realmView } from "../views.ts";

const { maxProfiles, maxValidMonths } = realmLimits;

export const realmSet = command({
  name: "realm set",
  about: "Changes a realm's settings: those that are given.",
  options: {
    displayName: option("<text>", "the name that people see", text(1, 200).optional()),
    radiusCn: option("<name>", "the name that the RADIUS server's certificate shows", text(1, 255).optional()),
    localSignIn: option("<on|off>", "sign-in with a local name, for trial and emergencies", Switch.optional()),
    upstreamIssuer: option("<uri>", "the identity provider that people sign in through", UpstreamIssuer.optional()),
    upstreamClientId: option("<id>", "what the identity provider calls this service", text(1, 255).optional()),
    maxProfiles: option("<count>", "active profiles that a person may have", wholeNumber(0, maxProfiles).optional()),
    maxValid: option("<months>", "how long a profile is valid", wholeNumber(1, maxValidMonths).optional()),
  },
  async run(input, context) {
    if (Object.values(input).every((value) => value === undefined)) {
      throw usageError("There is nothing to change; see `realm set --help`.");
    }
    const at = context.clock.now();
    const { maxValid, ...change } = input;
    const { id } = await context.realm();
    const db = await context.db();
    const realm = await db.transaction(async (tx) => {
      const before = await realms.lock(tx, id);
      const after = await realms.update(tx, id, { ...change, maxValidMonths: maxValid });
      await auditEntries.record(tx, {
        realmId: id,
        event: "realm_update",
        actor: operatorActor,
        at,
        properties: changed(realmView(before), realmView(after)),
      });
      return after;
    });

    if (!realm.localSignIn && realm.upstreamIssuer === null) {
      context.say("Nobody can sign in to this realm: local sign-in is off and no identity provider is named.");
    }
    return { json: realmView(realm), text: lines(realmView(realm)) };
  },
});

type View = Readonly<Record<string, unknown>>;

/** The settings that are not as they were, before and after. */
function changed(before: View, after: View): { before: View; after: View } {
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  const only = (view: View): View => Object.fromEntries(names.map((name) => [name, view[name]]));
  return { before: only(before), after: only(after) };
}
