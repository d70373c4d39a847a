import { RealmDisplayName, RealmDomain, RealmName } from "../../../domain/realm.ts";
import { rootAdvice } from "../../issuer/ceremony-directory.ts";
import { nameConstraintsOption } from "../../issuer/constraints.ts";
import { option } from "../../../terminal/command.ts";
import { command } from "../command.ts";
import { usageError } from "../../../terminal/failure.ts";
import { checkPassphrase } from "../../issuer/passphrase.ts";
import { issuerLine, issuerView, lines, realmView } from "../views.ts";

export const realmCreate = command({
  name: "realm create",
  about: "Creates a realm with its own root and issuing CA.",
  options: {
    name: option("name", "the short name that operators type", RealmName),
    domain: option("domain", "the domain after the @ in identities", RealmDomain),
    nameConstraints: nameConstraintsOption,
    displayName: option("text", "the name that people see; default: the short name", RealmDisplayName.optional()),
  },
  async run({ name, domain, nameConstraints: form = "plain", displayName = name }, context) {
    if (context.realmName !== undefined && context.realmName !== name) {
      throw usageError("--name names the new realm; --realm names another one.");
    }
    const at = context.clock.now();
    const db = await context.db();
    const passphrase = await context.passphrase();
    const rootPassphrase = await context.rootPassphrase();
    await checkPassphrase(db, passphrase);
    // Loaded only here, because X.509 is large: other commands start without it.
    const { addRealm, createHierarchy } = await import("../../realm/new-realm.ts");
    const hierarchy = await createHierarchy({
      organization: displayName,
      nameConstraints: { form, domains: [domain] },
      passphrase,
      rootPassphrase,
      publicationUrl: context.config.REALMPASS_PUBLICATION_URL,
      cost: context.costs.key,
      at,
    });
    const { ceremony } = context.dataDirectory();
    const { realm, issuer, rootFiles } = await db.transaction((tx) =>
      addRealm(tx, { name, domain, displayName, localSignIn: false, hierarchy, ceremony, at }),
    );

    context.say(rootAdvice(rootFiles));
    context.say(
      "People sign in to it through an identity provider (`realm set --upstream-issuer U --upstream-client-id I`) " +
        "or, for trial and emergencies, locally (`realm set --local-sign-in on`).",
    );
    return {
      json: {
        ...realmView(realm),
        issuer: issuerView(issuer),
        rootKey: rootFiles.key,
        rootCertificate: rootFiles.certificate,
      },
      text: `${lines(realmView(realm))}\n${issuerLine(issuer)}`,
    };
  },
});
