import { problemErrors } from "./error-response.ts";
import type { Route } from "./route.ts";

/** Returns a route for a public file. `name` is for paths that metrics should show with more or less detail. */
export const fileRoute = (path: string | RegExp, handle: Route["handle"], name = String(path)): Route => ({
  path,
  name,
  methods: ["GET", "HEAD"],
  limit: "address",
  errors: problemErrors,
  handle,
});
