import type { Child } from "hono/jsx";
import { logoPath } from "./logo-path.ts";
import type { PageRequest } from "./page-request.ts";
import type { PageRealm } from "./page-realm.ts";

interface PageHeaderProps {
  deps: PageRequest["deps"];
  realm: PageRealm | undefined;
  /** Whose page it is, in words. */
  owner: string;
  children?: Child;
}

/** Whose page it is: the logo, or a letter in its place, and the name, which is enough where a logo does not come. */
export function PageHeader({ deps, realm, owner, children }: PageHeaderProps) {
  const logo = realm !== undefined && realm.logoUri !== "" && deps.logos.mayHave(realm) ? realm : undefined;
  return (
    <header>
      {logo === undefined ? (
        <span class="mark" aria-hidden="true">
          {(Array.from(owner)[0] ?? "").toUpperCase()}
        </span>
      ) : (
        <img class="logo" src={logoPath(deps, logo)} alt="" />
      )}
      <span>{owner}</span>
      {children}
    </header>
  );
}
