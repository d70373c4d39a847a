import { z } from "zod";
import { CliError, exitCodes, notSignedIn } from "../failure.ts";
import { plain } from "../output/plain.ts";

/** What goes to a terminal as it is. */
const Text = z.string().transform(plain);

/** The service's failure wrapper; whatever stands between may have written something else. */
const Refused = z.object({
  error: Text,
  error_description: Text.optional(),
  request_id: Text.optional(),
  fields: z.array(z.object({ path: Text, reason: Text })).optional(),
});

/** What an answer that is no success says, with the request id to quote. */
export async function refusalOf(response: Response): Promise<CliError> {
  const refused = Refused.safeParse(await response.json().catch(() => undefined));
  const requestId = refused.data?.request_id ?? plain(response.headers.get("X-Request-Id") ?? "");
  const quoted = requestId === "" ? {} : { requestId };
  if (response.status === 401) {
    return notSignedIn(refused.data?.error_description ?? "The service does not know us.", quoted);
  }
  if (!refused.success) {
    return new CliError("unexpected_answer", `The service answered ${response.status}, and not in its own words.`, {
      status: response.status,
      ...quoted,
    });
  }
  const { error, error_description: description, fields } = refused.data;
  return new CliError(error, description ?? error, {
    exitCode: exitCodes.error,
    status: response.status,
    ...(fields === undefined ? {} : { fields }),
    ...quoted,
  });
}
