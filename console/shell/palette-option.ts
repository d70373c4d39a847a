import type { Status } from "../ui/value/status-badge.tsx";

export const paletteGroups = [
  "recent",
  "users",
  "profiles",
  "guests",
  "applications",
  "jobs",
  "pages",
  "actions",
] as const;
export type PaletteGroup = (typeof paletteGroups)[number];

/** A line of the palette and its destination. */
export interface PaletteOption {
  /** The same for the same thing in every group. */
  key: string;
  group: PaletteGroup;
  label: string;
  /** Distinguishes it from others with the same name. */
  detail?: string;
  status?: Status;
  /** A person, or a profile of a person: what actions it has. */
  hit?: "user" | "profile";
  /** It leads to a list of further results and is none itself. */
  isList?: true;
  /** Relative to the console's path. */
  path: string;
}
