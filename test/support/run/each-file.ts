import { afterAll } from "vitest";
import { endFile } from "./at-end.ts";

// Registered before anything of the file itself, and therefore run after it.
afterAll(endFile, 180_000);
