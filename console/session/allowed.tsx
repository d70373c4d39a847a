import type { ReactNode } from "react";
import { useMay, type Deed } from "./may.ts";

/** Shows its children if the user has the permission `to`. */
export function Allowed({ to, children }: { to: Deed; children: ReactNode }) {
  return useMay()(to) && children;
}
