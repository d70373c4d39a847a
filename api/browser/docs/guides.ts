import { readFile } from "node:fs/promises";
import { programFile } from "../../../runtime/program-files.ts";

/** The pages that are written in `docs/guides`, in the order in which they are offered. */
export const guides = [
  { slug: "", file: "README.md", name: "Overview" },
  { slug: "quickstart", file: "quickstart.md", name: "Quickstart" },
  { slug: "sign-in", file: "sign-in.md", name: "Sign users in" },
  { slug: "guests", file: "guests.md", name: "Guests" },
  { slug: "awaiting", file: "awaiting.md", name: "Await or poll" },
  { slug: "bulk", file: "bulk.md", name: "Bulk jobs" },
  { slug: "lists", file: "lists.md", name: "Lists" },
  { slug: "errors", file: "errors.md", name: "Errors" },
  { slug: "formats", file: "formats.md", name: "Formats" },
  { slug: "command-line", file: "command-line.md", name: "Command line" },
] as const;

export type Guide = (typeof guides)[number];

/** A guide as it is written. */
export const readGuide = ({ file }: Guide): Promise<string> => readFile(programFile(`docs/guides/${file}`), "utf8");
