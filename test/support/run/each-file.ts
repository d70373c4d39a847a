import { afterAll } from "vitest";
import { endFile } from "./at-end.ts";

// Registered before anything of the file itself, so it runs last.
afterAll(endFile);
