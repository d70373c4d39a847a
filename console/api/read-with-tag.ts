import { ApiError, dataOf } from "./api-client.ts";

/** What was read, and the tag by which a change can say what it is a change of. */
interface Tagged<Value> {
  value: Value;
  tag: string;
}

/** Reads something that shall be changed. */
export async function readWithTag<Answer extends { data: unknown }>(
  call: Promise<{ data?: Answer; response: Response }>,
): Promise<Tagged<Answer["data"]>> {
  const value = await dataOf(call);
  // A proxy that compresses answers calls the service's tag weak.
  const tag = (await call).response.headers.get("ETag")?.replace(/^W\//, "") ?? "*";
  return { value, tag };
}

/** Whether a change was refused because something is no longer what was read. */
export const wasChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "precondition_failed";

/** As often a change is sent again when something moved on that it does not touch. */
const attemptsMax = 5;

/**
 * Changes what somebody sees, while it still is that in what `isSame` compares; else answers what it is now. Other parts
 * of what is read may have moved on: how many profiles there are, when it was last used.
 */
export async function changeIfSame<Value, Result>({
  read,
  isSame,
  change,
}: {
  read: () => Promise<Tagged<Value>>;
  isSame: (now: Value) => boolean;
  change: (condition: { "If-Match": string }) => Promise<Result>;
}): Promise<{ changed: Result } | { now: Value }> {
  for (let attempt = 1; ; attempt++) {
    const { value, tag } = await read();
    if (!isSame(value)) return { now: value };
    try {
      return { changed: await change({ "If-Match": tag }) };
    } catch (error) {
      if (!wasChangedMeanwhile(error) || attempt === attemptsMax) throw error;
    }
  }
}

/** Whether two things have the same values under these names. */
export const sameIn = <Value extends object>(names: readonly (keyof Value)[], one: Value, other: Value): boolean =>
  names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
