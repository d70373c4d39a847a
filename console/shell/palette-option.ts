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
  /** Equal for the same thing in every group. */
  key: string;
  group: PaletteGroup;
  label: string;
  /** Distinguishes the line from others with the same name. */
  detail?: string;
  status?: Status;
  /** Whether this is a person or a profile of a person, which decides its actions. */
  hit?: "user" | "profile";
  /** Leads to a list of further results and is not itself a result. */
  isList?: true;
  /** Relative to the console's path. */
  path: string;
}
