import type { Deps } from "../../contract/deps.ts";

/** Returns a path of the documentation as browsers must request it: below the API's address. */
export const docsPath = ({ settings }: Pick<Deps, "settings">, path: string): string =>
  `${new URL(settings.baseUrl).pathname.replace(/\/$/, "")}${path}`;

/** Returns the path of a page with `rest` appended: a query, an anchor, or both. */
export const pagePath = (deps: Pick<Deps, "settings">, slug: string, rest: string): string =>
  docsPath(deps, `/docs${slug === "" ? "" : `/${slug}`}${rest}`);
