import type { Deps } from "../../contract/deps.ts";

/** Returns a path of the documentation as browsers must request it: below the API's address. */
export const docsPath = ({ settings }: Pick<Deps, "settings">, path: string): string =>
  `${new URL(settings.baseUrl).pathname.replace(/\/$/, "")}${path}`;
