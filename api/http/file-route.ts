import { problemErrors } from "./error-response.ts";
import type { Route } from "./route.ts";

/** A path that is read as a file, open to everyone. `name`: where the path says less or more than metrics should. */
export const fileRoute = (path: string | RegExp, handle: Route["handle"], name = String(path)): Route => ({
  path,
  name,
  methods: ["GET", "HEAD"],
  limit: "address",
  errors: problemErrors,
  handle,
});
