/** The lists whose export as a file is recorded in the audit log. */
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
