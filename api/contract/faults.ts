import type { z } from "zod";
import type { FieldError } from "../../domain/errors.ts";

/** Converts zod's issues for the response: the path and the reason of each, never the value. */
export const faultsOf = (error: z.ZodError): FieldError[] =>
  error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), reason: message }));
