import type { Deps } from "../../contract/deps.ts";

/** A path of ours as browsers must ask for it: below the API's address. */
export const docsPath = ({ settings }: Pick<Deps, "settings">, path: string): string =>
  `${new URL(settings.baseUrl).pathname.replace(/\/$/, "")}${path}`;
