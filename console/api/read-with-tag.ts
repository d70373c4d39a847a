import { ApiError, dataOf } from "./api-client.ts";

/** A value and its entity tag, for a conditional change. */
interface Tagged<Value> {
  value: Value;
  tag: string;
}

/** Reads a value and its entity tag; a response without a tag yields `*`, which matches every version. */
export async function readWithTag<Answer extends { data: unknown }>(
  call: Promise<{ data?: Answer; response: Response }>,
): Promise<Tagged<Answer["data"]>> {
  const value = await dataOf(call);
  // A proxy that compresses responses makes the service's tag weak.
  const tag = (await call).response.headers.get("ETag")?.replace(/^W\//, "") ?? "*";
  return { value, tag };
}

/** Returns true if the service refused a change because the resource has changed since the console read it. */
export const wasChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "precondition_failed";

/** The number of attempts at a change while other parts of the resource change. */
const attemptsMax = 5;

/**
 * Changes a value if `isSame` finds it unchanged since the user saw it; otherwise returns the current value. Parts that
 * `isSame` ignores may have changed, such as the number of profiles or the last use.
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

/** Returns true if two objects have equal values under these names. */
export const sameIn = <Value extends object>(names: readonly (keyof Value)[], one: Value, other: Value): boolean =>
  names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
