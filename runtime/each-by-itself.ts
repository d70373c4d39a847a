/**
 * Runs the work for every item, one after another, even if an item fails. At the end throws the failure, or an
 * AggregateError of several.
 */
export async function eachByItself<Item>(items: Iterable<Item>, run: (item: Item) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await run(item);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
}

/** Repeats the work, one slice each time, until a slice is empty. Returns the sum of the results. */
export async function untilNone(work: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let done = await work(); done > 0; done = await work()) total += done;
  return total;
}
