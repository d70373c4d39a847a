import * as issuers from "../../../db/queries/realm/issuers.ts";
import { command } from "../command.ts";
import { issuerLine, issuerView } from "../views.ts";

export const issuerList = command({
  name: "issuer list",
  about: "Shows the issuing CAs of a realm, newest first, and which one issues.",
  options: {},
  async run(_, context) {
    const { id, name } = await context.realm();
    const rows = await issuers.list(await context.db(), id);
    return {
      json: { issuers: rows.map(issuerView) },
      text:
        rows.length === 0
          ? `The realm ${name} has no issuer. Create one with \`issuer create\`.`
          : rows.map(issuerLine).join("\n"),
    };
  },
});
