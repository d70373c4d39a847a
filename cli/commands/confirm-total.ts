import { option } from "../../terminal/command.ts";
import { wholeNumber } from "../../terminal/inputs.ts";
import type { Context } from "../context/context.ts";
import { ServiceError } from "../service/refusal.ts";

export const confirmTotalOption = option(
  "N",
  "the number of people and profiles that would be offline within an hour; needed when they are a large part of the realm",
  wholeNumber(0, 9_999_999).optional(),
);

/**
 * Returns a function that makes calls that remove access. If the service asks for the number, the user types it on a
 * terminal, and the call is repeated with the number; later calls send the same number. With --yes or without a
 * terminal, throws the service's refusal instead.
 */
export function confirmingTotal(
  context: Context,
  given: number | undefined,
): <Answer>(call: (agreed: { confirmTotal?: number }) => Promise<Answer>) => Promise<Answer> {
  let confirmed = given;
  return async (call) => {
    for (;;) {
      try {
        return await call(confirmed === undefined ? {} : { confirmTotal: confirmed });
      } catch (error) {
        const total = askedTotal(error);
        if (total === undefined || context.options.yes || !context.isInteractive) throw error;
        await context.confirm(
          `${total} people and profiles of the realm would be offline within an hour.`,
          String(total),
        );
        confirmed = total;
      }
    }
  };
}

/** Returns the number that the service asks for; undefined if the error is another failure. */
function askedTotal(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || error.code !== "confirmation_required") return undefined;
  const total = Number(error.fields.find(({ path }) => path === "confirmTotal")?.reason);
  return Number.isSafeInteger(total) ? total : undefined;
}
