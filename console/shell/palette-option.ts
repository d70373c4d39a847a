import type { Status } from "../ui/status-badge.tsx";

export const paletteGroups = ["recent", "users", "profiles", "guests", "applications", "pages", "actions"] as const;
export type PaletteGroup = (typeof paletteGroups)[number];

/** A line of the palette, and where it leads. */
export interface PaletteOption {
  /** The same for the same thing, whichever group it is in. */
  key: string;
  group: PaletteGroup;
  label: string;
  /** What tells it from others of the same name. */
  detail?: string;
  status?: Status;
  /** Below the console's own address. */
  path: string;
}
