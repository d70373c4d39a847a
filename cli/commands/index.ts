import { auditExport } from "./audit-export.ts";
import type { CliCommand } from "./command.ts";
import { doctor } from "./doctor.ts";
import { find } from "./find.ts";
import { guestCommands } from "./guests.ts";
import { jobCommands } from "./jobs.ts";
import { loginCommands } from "./login.ts";
import { profileCommands } from "./profiles.ts";
import { userCommands } from "./users.ts";

export const commands: readonly CliCommand[] = [
  ...loginCommands,
  find,
  ...userCommands,
  ...profileCommands,
  ...guestCommands,
  ...jobCommands,
  auditExport,
  doctor,
];

/** The description of each group, for the help. */
export const groups: Readonly<Record<string, string>> = {
  users: "People of the realm.",
  profiles: "Profiles of people.",
  guests: "Guest accounts.",
  jobs: "Bulk onboarding, offboarding, reactivation and revocation.",
  "jobs start": "Upload a file and start a job.",
  audit: "The audit log.",
};
