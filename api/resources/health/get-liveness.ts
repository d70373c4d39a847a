import { z } from "zod";
import { endpoint } from "../../contract/endpoint.ts";

export const getLiveness = endpoint({
  operation: "getLiveness",
  summary: "Whether this process is alive",
  method: "get",
  path: "/healthz",
  access: "public",
  data: z.object({ status: z.literal("live") }),
  errors: [],
  handle: () => Promise.resolve({ status: "live" as const }),
});
