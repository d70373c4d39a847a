import { readFile } from "node:fs/promises";
import { programFile } from "../../../runtime/program-files.ts";

/** The guides in the order of the navigation: for developers, then for operators. */
export const guides = [
  { slug: "", file: "docs/guides/README.md", name: "Overview", group: "build" },
  { slug: "quickstart", file: "docs/guides/quickstart.md", name: "Quickstart", group: "build" },
  { slug: "sign-in", file: "docs/guides/sign-in.md", name: "Sign users in", group: "build" },
  { slug: "guests", file: "docs/guides/guests.md", name: "Guests", group: "build" },
  { slug: "awaiting", file: "docs/guides/awaiting.md", name: "Await or poll", group: "build" },
  { slug: "bulk", file: "docs/guides/bulk.md", name: "Bulk jobs", group: "build" },
  { slug: "lists", file: "docs/guides/lists.md", name: "Lists", group: "build" },
  { slug: "errors", file: "docs/guides/errors.md", name: "Errors", group: "build" },
  { slug: "formats", file: "docs/guides/formats.md", name: "Formats", group: "build" },
  { slug: "command-line", file: "docs/guides/command-line.md", name: "Command line", group: "build" },
  { slug: "first-device", file: "docs/guides/first-device.md", name: "The first device", group: "run" },
  { slug: "identity-provider", file: "docs/guides/identity-provider.md", name: "Your identity provider", group: "run" },
  { slug: "directory", file: "docs/guides/directory.md", name: "Your directory", group: "run" },
  { slug: "help-desk", file: "docs/guides/help-desk.md", name: "Help desk", group: "run" },
  { slug: "radius", file: "docs/radius/README.md", name: "FreeRADIUS", group: "run" },
  { slug: "radius/hostapd", file: "docs/radius/hostapd.md", name: "hostapd", group: "run" },
  { slug: "radius/disconnect", file: "docs/radius/disconnect.md", name: "Disconnect at once", group: "run" },
  { slug: "operations", file: "docs/operations.md", name: "Set-ups", group: "run" },
  { slug: "secrets", file: "docs/secrets.md", name: "Secrets", group: "run" },
  { slug: "realms", file: "docs/realms.md", name: "Realms", group: "run" },
  { slug: "health", file: "docs/health.md", name: "Health and metrics", group: "run" },
  { slug: "replacing-cas", file: "docs/replacing-cas.md", name: "Replacing the CA", group: "run" },
  { slug: "limits", file: "docs/reference.md", name: "Lifetimes and limits", group: "run" },
  { slug: "upgrade", file: "docs/upgrade.md", name: "Upgrade", group: "run" },
] as const;

export type Guide = (typeof guides)[number];

/** Reads a guide as written. */
export const readGuide = ({ file }: Guide): Promise<string> => readFile(programFile(file), "utf8");
