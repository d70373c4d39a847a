import { authUrl, baseUrl, publicationUrl } from "../../runtime/config/addresses.ts";
import { loadConfig, maskedConfig } from "../../runtime/config/config.ts";
import { variables, type Variable } from "../../runtime/config/variables.ts";
import { command } from "./command.ts";
import { CommandError } from "../../terminal/failure.ts";
import { lines } from "./views.ts";

export const config = command({
  name: "config",
  about: "Shows the effective configuration, defaults included, secrets masked. null: not set.",
  options: {},
  async run(_, context) {
    const given = loadConfig(Object.keys(variables) as Variable[], context.env);
    const effective = maskedConfig({
      ...given,
      DATABASE_URL: given.DATABASE_URL ?? (await embeddedUrl(() => context.databaseUrl())),
      REALMPASS_BASE_URL: baseUrl(given),
      REALMPASS_AUTH_URL: authUrl(given),
      REALMPASS_PUBLICATION_URL: publicationUrl(given),
    });
    return { json: effective, text: lines(effective) };
  },
});

/** Returns the URL of the embedded database while it runs; the configuration can be shown without it. */
async function embeddedUrl(find: () => Promise<string>): Promise<string | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof CommandError && error.code === "no_database") return undefined;
    throw error;
  }
}
