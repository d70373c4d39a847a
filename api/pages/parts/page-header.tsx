import type { Child } from "hono/jsx";
import { logoPath } from "./logo-path.ts";
import type { PageRequest } from "../page-request.ts";
import type { PageRealm } from "../page-realm.ts";

interface PageHeaderProps {
  deps: PageRequest["deps"];
  realm: PageRealm | undefined;
  /** The realm's name, or the product's if the page has no realm. */
  owner: string;
  children?: Child;
}

/** Shows the page's owner: the logo, or a letter instead, and the name. */
export function PageHeader({ deps, realm, owner, children }: PageHeaderProps) {
  const logo = realm !== undefined && deps.logos.mayHave(realm) ? realm : undefined;
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
