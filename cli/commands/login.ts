import { usageError } from "../../terminal/failure.ts";
import { promptUser } from "../../terminal/prompt.ts";
import { retryOptionsOf, type Context } from "../context/context.ts";
import { fetchAccessToken } from "../service/access-token.ts";
import { serviceAddress } from "../service/address.ts";
import { readSecretFile } from "../service/secret-file.ts";
import { removeStoredLogin, storedLoginPath, writeStoredLogin } from "../service/stored-login.ts";
import { command, type CliCommand } from "./command.ts";

const login = command({
  name: "login",
  about:
    "Check client credentials and store them for the other commands. The secret is prompted for, or read from standard input.",
  options: {},
  async run(_input, context) {
    const { io, options } = context;
    const url = serviceAddress(
      await given(context, { option: options.url, variable: "REALMPASS_URL", name: "Service (URL)", flag: "--url" }),
      options,
    );
    const clientId = await given(context, {
      option: options.clientId,
      variable: "REALMPASS_CLIENT_ID",
      name: "Client id",
      flag: "--client-id",
    });
    const clientSecret = await readSecretFile(options.clientSecretFile ?? "-", io);

    await fetchAccessToken({ url, clientId, clientSecret }, retryOptionsOf(context));
    const path = storedLoginPath(io.env);
    await writeStoredLogin(path, { url, clientId, clientSecret });
    context.notify(`Signed in to ${url} as ${clientId}. Stored in ${path}, readable by you alone.`);
    if (options.json) await context.out.answer({ url, clientId, file: path }, "");
    return undefined;
  },
});

/**
 * Returns the value from the command line, the environment or the user. Throws if the value is in neither and there is
 * no terminal to ask on.
 */
async function given(
  context: Context,
  { option, variable, name, flag }: { option: string | undefined; variable: string; name: string; flag: string },
): Promise<string> {
  const known = option ?? context.io.env[variable];
  if (known !== undefined && known !== "") return known;
  if (!context.isInteractive) throw usageError(`${flag} or ${variable} is required.`);
  return (await promptUser(context.io, `${name}: `)).trim();
}

const logout = command({
  name: "logout",
  about:
    "Delete the stored credentials. The service still accepts them: to prevent that, give the client a new secret.",
  options: {},
  async run(_input, context) {
    const removed = await removeStoredLogin(storedLoginPath(context.io.env));
    context.notify(removed ? "The stored login is gone." : "There was no stored login.");
    if (context.options.json) await context.out.answer({ removed }, "");
    return undefined;
  },
});

export const loginCommands: readonly CliCommand[] = [login, logout];
