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
  /** Identifies the destination: equal keys in different groups have the same destination. */
  key: string;
  group: PaletteGroup;
  label: string;
  /** Distinguishes the line from other lines with the same name. */
  detail?: string;
  status?: Status;
  /** Whether the line is a person or a person's profile, which determines its actions. */
  hit?: "user" | "profile";
  /** The line opens a list of further results and is not itself a result. */
  isList?: true;
  /** Relative to the console's path. */
  path: string;
}
