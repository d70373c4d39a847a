import { z } from "zod";

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ id: "Timestamp", format: "date-time", example: "2026-11-21T09:00:00.000Z" });
