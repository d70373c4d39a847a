import { afterAll } from "vitest";
import { endFile } from "./at-end.ts";

// Registered before the file's own hooks, so it runs last.
afterAll(endFile);
