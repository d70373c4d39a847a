/**
 * Settles as the promise does if it settles within `ms` milliseconds; else resolves to `"late"`, and the promise's
 * later outcome has no effect.
 */
export async function within<Result>(ms: number, promise: Promise<Result>): Promise<Result | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, ms, "late");
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles as {@link within} does, but rejects if the promise is late. */
export async function answerWithin<Result>(ms: number, promise: Promise<Result>): Promise<Result> {
  const answer = await within(ms, promise);
  if (answer === "late") throw new Error(`no answer within ${ms} ms`);
  return answer;
}
