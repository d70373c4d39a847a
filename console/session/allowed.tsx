import type { ReactNode } from "react";
import { useMay, type Deed } from "./may.ts";

/** Shows its children if the user may do this. */
export function Allowed({ to, children }: { to: Deed; children: ReactNode }) {
  return useMay()(to) && children;
}

/** Fields of a form, disabled if the user may not change them. */
export function Fields({ deed, children }: { deed: Deed; children: ReactNode }) {
  return (
    <fieldset disabled={!useMay()(deed)} style={{ display: "contents", border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      {children}
    </fieldset>
  );
}
