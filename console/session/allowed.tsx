import type { ReactNode } from "react";
import { useMay, type Deed } from "./may.ts";

/** Shows its children to those who may do something. */
export function Allowed({ to, children }: { to: Deed; children: ReactNode }) {
  return useMay()(to) && children;
}

/** Fields of a form, to be read only by those who may not change them. */
export function Fields({ deed, children }: { deed: Deed; children: ReactNode }) {
  return (
    <fieldset disabled={!useMay()(deed)} style={{ display: "contents", border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      {children}
    </fieldset>
  );
}
