/** The lists whose export as a file is an audit entry of its own. */
export const exportedLists = [
  "users",
  "profiles",
  "guest_accounts",
  "guest_profiles",
  "infrastructure_profiles",
  "jobs",
  "applications",
] as const;
export type ExportedList = (typeof exportedLists)[number];
