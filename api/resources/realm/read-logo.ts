import type { LogoFault, LogoType } from "../../../domain/realm-logo.ts";
import { isPng, pngFault } from "./png-fault.ts";
import { svgFault } from "./svg-fault.ts";

/** Returns the type of an uploaded picture, detected from its bytes alone, or why the api refuses the picture. */
export function readLogo(bytes: Buffer): { type: LogoType } | { fault: LogoFault } {
  const type: LogoType = isPng(bytes) ? "image/png" : "image/svg+xml";
  if (type === "image/svg+xml" && !/^[\ufeff\s]*</.test(bytes.toString("utf8", 0, 64))) return { fault: "no_picture" };
  const fault = type === "image/png" ? pngFault(bytes) : svgFault(bytes);
  return fault === undefined ? { type } : { fault };
}
