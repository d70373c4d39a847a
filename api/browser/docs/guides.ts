import { readFile } from "node:fs/promises";

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

/** Beside the compiled files as beside the sources: the build copies it. */
const folder = new URL("../../../docs/guides/", import.meta.url);

/** A guide as it is written. */
export const readGuide = ({ file }: Guide): Promise<string> => readFile(new URL(file, folder), "utf8");
